package dev.errand.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;

/** Checks the rows and the file of the sink after everything has come to rest. */
final class Checker {

  /** Queries by name; each must return no row. */
  private static final Map<String, String> INVARIANTS = new LinkedHashMap<>();

  static {
    INVARIANTS.put(
        "task that has not ended",
        "select id::text || ' is ' || state from task where ended_at is null");
    INVARIANTS.put(
        "session that does not rest",
        "select id::text || ' is ' || state from session where state not in ('idle', 'closed')");
    INVARIANTS.put(
        "ended task without exactly one outbox row",
        """
        select task.id::text || ' has ' || count(outbox.id) from task left join outbox on task_id = task.id
        group by task.id having count(outbox.id) <> 1
        """);
    INVARIANTS.put(
        "outbox row that is pending or dead",
        "select id::text || ' is ' || state from outbox where state in ('pending', 'dead')");
    INVARIANTS.put(
        "delivered outbox row without exactly one inbox entry, or one message of an external parent",
        """
        select outbox.id::text || ' has ' || case session.kind when 'hosted' then count(inbox.id) else count(message.id) end
        from outbox
          join session on session.id = outbox.session_id
          left join inbox on source_outbox_id = outbox.id
          left join message on message.delivery_id = outbox.id
        where outbox.state = 'delivered' and outbox.task_id is not null
          and (session.kind = 'hosted' or outbox.kind = 'notice')
        group by outbox.id, session.kind
        having case session.kind when 'hosted' then count(inbox.id) else count(message.id) end <> 1
        """);
    INVARIANTS.put(
        "external session with an inbox entry",
        "select inbox.id::text from inbox join session on session.id = session_id where session.kind = 'external'");
    INVARIANTS.put(
        "inbox entry of an outbox row that was not delivered",
        """
        select inbox.id::text from inbox join outbox on source_outbox_id = outbox.id
        where outbox.state not in ('delivered', 'consumed')
        """);
    INVARIANTS.put(
        "notice that is not in its transcript exactly once",
        """
        select inbox.id::text from inbox
          left join message on message.session_id = inbox.session_id
            and message.kind = 'notice'
            and message.content::text like '%task_' || (
              select replace(task_id::text, '-', '') from outbox where outbox.id = source_outbox_id) || '%'
        where inbox.kind = 'notice'
        group by inbox.id having count(message.id) <> 1
        """);
    INVARIANTS.put(
        "idle session with an unread inbox",
        """
        select session.id::text from session join inbox on session_id = session.id and consumed_at is null
        where state = 'idle'
        """);
    INVARIANTS.put(
        "gap or repeat in a transcript",
        """
        select session.id::text from session left join message on session_id = session.id
        where state <> 'closed'
        group by session.id, next_seq
        having count(seq) <> next_seq - 1 or coalesce(max(seq), 0) <> next_seq - 1
        """);
    INVARIANTS.put(
        "message written with an older epoch after a newer one",
        """
        select session_id::text || ' at ' || seq from (
          select session_id, seq, epoch, lag(epoch) over (partition by session_id order by seq) as before
          from message) as numbered
        where epoch < before
        """);
    INVARIANTS.put(
        "tool call without exactly one result",
        """
        select tool_call.session_id::text || ' ' || message_seq || '.' || idx
        from tool_call
          left join message on message.session_id = tool_call.session_id and message.seq = message_seq + 1
            and message.role = 'tool'
            and message.content::jsonb @> jsonb_build_array(jsonb_build_object('tool_call_id', call_id))
        where tool_call.state not in ('done', 'unknown', 'denied') or message.id is null
        """);
    INVARIANTS.put(
        "task accounting that does not add up",
        """
        select 'accepted ' || accepted || ', tasks ' || tasks || ', ended ' || ended || ', deliveries ' || deliveries
        from (select (select sum(delegations - forgotten) from tree) as accepted,
                     (select count(*) from task) as tasks,
                     (select count(ended_at) from task) as ended,
                     (select count(*) from outbox where task_id is not null) as deliveries) as accounting
        where accepted <> tasks or ended <> deliveries
        """);
    INVARIANTS.put(
        "tokens that are not counted once",
        """
        select session.id::text || ' counts ' || session.input_tokens || ' and ' || session.output_tokens || ', its messages '
               || coalesce(sum(message.input_tokens), 0) || ' and ' || coalesce(sum(message.output_tokens), 0)
        from session left join message on message.session_id = session.id
        where session.state <> 'closed' group by session.id
        having session.input_tokens <> coalesce(sum(message.input_tokens), 0)
          or session.output_tokens <> coalesce(sum(message.output_tokens), 0)
        """);
    INVARIANTS.put(
        "turn that is in a transcript twice",
        """
        select session_id::text || ' at ' || seq from (
          select session_id, seq, role, lag(role) over (partition by session_id order by seq) as before
          from message where role <> 'system') as numbered
        where role = 'assistant' and before = 'assistant'
        """);
    INVARIANTS.put(
        "tool result without a call",
        """
        select session_id::text || ' at ' || seq from (
          select session_id, seq, role, lag(content) over (partition by session_id order by seq) as before
          from message where role <> 'system') as numbered
        where role = 'tool' and not before::jsonb @> '[{"type": "tool_call"}]'
        """);
    INVARIANTS.put(
        "end of a task without exactly one event",
        """
        select task.id::text || ' has ' || count(number) from task
          left join event on event.root_id = task.root_session_id and subject = task.id
            and type in ('subagent.completed', 'subagent.failed')
        group by task.id having count(number) <> 1
        """);
    INVARIANTS.put(
        "accepted delegation without its task",
        """
        select tool_call.session_id::text || ' ' || message_seq || '.' || idx
        from tool_call left join task on parent_session_id = tool_call.session_id
          and parent_tool_call_id = message_seq || '.' || idx
        where name = 'task' and tool_call.state = 'done' and not is_error and task.id is null
        """);
  }

  private final Jdbi jdbi;

  Checker(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Returns the broken invariants, one line each. */
  List<String> broken() {
    var broken = new ArrayList<String>();
    INVARIANTS.forEach((name, sql) -> texts(sql).forEach(row -> broken.add(name + ": " + row)));
    return broken;
  }

  /** Measurements for the report, one line each. */
  List<String> notes() {
    return texts(
        """
        select 'tasks by outcome: ' || string_agg(state || ' ' || n, ', ' order by state)
        from (select state, count(*) as n from task group by state) as counts
        union all
        select 'without hints, of ' || count(*) || ' tasks that waited neither for their model nor for memory: submission to start p50 '
          || round((percentile_cont(0.5) within group (order by extract(epoch from started_at - task.created_at)))::numeric, 2)
          || ' s, p99 '
          || round((percentile_cont(0.99) within group (order by extract(epoch from started_at - task.created_at)))::numeric, 2)
          || ' s; end to delivery p50 '
          || round((percentile_cont(0.5) within group (order by extract(epoch from delivered_at - ended_at)))::numeric, 2)
          || ' s, p99 '
          || round((percentile_cont(0.99) within group (order by extract(epoch from delivered_at - ended_at)))::numeric, 2)
          || ' s'
        from task join outbox on task_id = task.id
        where description like 'errand hints-dropped-%' and takeovers = 0
          and not exists (select 1 from event where event.session_id = task.session_id and data ->> 'reason' ~ '^(model|node)_')
          and task.created_at < (
            select max(created_at) from task where description like 'errand hints-dropped-%') - interval '3 seconds'
        having count(*) > 0
        union all
        select 'runs that waited for memory: ' || count(*) from event where type = 'session.state' and data ->> 'reason' = 'node_busy'
        """);
  }

  /** The keys of accepted tasks that do not exist or have not ended. */
  List<String> lost(Map<String, String> accepted) {
    var ended =
        texts("select 'task_' || replace(id::text, '-', '') from task where ended_at is not null");
    var lost = new HashMap<>(accepted);
    lost.keySet().removeAll(ended);
    return List.copyOf(lost.values());
  }

  /** The keys of tasks with more than one notice in the transcript of the parent. */
  List<String> notifiedTwice() {
    return texts(
        """
        select substring(task.description from 8) from task join message on message.kind = 'notice'
          and message.session_id = task.parent_session_id
          and message.content::text like '%task_' || replace(task.id::text, '-', '') || '%'
        group by task.id having count(*) > 1
        """);
  }

  /** The keys that are in the file of the sink more than once. */
  static List<String> doneTwice(Path sink) throws IOException {
    if (!Files.exists(sink)) {
      return List.of();
    }
    var times = new HashMap<String, Integer>();
    Files.readAllLines(sink).forEach(key -> times.merge(key, 1, Integer::sum));
    return times.entrySet().stream()
        .filter(entry -> entry.getValue() > 1)
        .map(Map.Entry::getKey)
        .toList();
  }

  boolean isQuiet() {
    try {
      return texts(
              """
              select 1 from task where ended_at is null
              union all select 1 from outbox where state = 'pending'
              union all select 1 from session where state not in ('idle', 'closed')
              """)
          .isEmpty();
    } catch (RuntimeException databaseUnavailable) {
      return false;
    }
  }

  private List<String> texts(String sql) {
    return jdbi.withHandle(handle -> handle.createQuery(sql).mapTo(String.class).list());
  }
}
