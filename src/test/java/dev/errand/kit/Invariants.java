package dev.errand.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageRole;
import dev.errand.conversation.SessionId;
import dev.errand.session.SessionStore;
import dev.errand.session.Transcript;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/** Checks invariants after every story. */
@ApplicationScoped
public class Invariants {

  private static final String UNFINISHED =
      """
      select 'session ' || id || ' is ' || state from session where root_id = any(:roots) and state not in ('idle', 'closed')
      union all
      select 'task ' || id || ' is ' || state from task where root_session_id = any(:roots) and ended_at is null
      union all
      select 'outbox ' || outbox.id || ' is pending' from outbox join session on session.id = session_id
      where root_id = any(:roots) and outbox.state = 'pending' and target <> 'hook'
      union all
      select 'inbox ' || inbox.id || ' is unread' from inbox join session on session.id = session_id
      where root_id = any(:roots) and consumed_at is null
        and not (inbox.kind = 'notice' and state = 'idle' and parent_id is null
          and (inbox.generation >= 3 or stopped_at > (
            select task.created_at from outbox join task on task.id = task_id where outbox.id = source_outbox_id)))
      """;

  private static final String SEQUENCE_HAS_GAPS =
      """
      select 'session ' || session.id || ' has gaps: ' || count(seq) || ' of ' || next_seq - 1
      from session left join message on session_id = session.id
      where root_id = any(:roots) and session.state <> 'closed'
      group by session.id, next_seq
      having count(seq) <> next_seq - 1 or coalesce(min(seq), 1) <> 1 or coalesce(max(seq), 0) <> next_seq - 1
      """;

  private static final String NOT_ONE_OUTBOX_ROW =
      """
      select 'task ' || task.id || ' (' || task.state || ') has ' || count(outbox.id) || ' outbox rows'
      from task left join outbox on task_id = task.id
      where root_session_id = any(:roots)
      group by task.id, task.state
      having count(outbox.id) <> 1
      """;

  private static final String NOT_ONE_INBOX_ENTRY =
      """
      select 'outbox ' || id || ' (' || state || ') has ' || entries || ' entries'
      from (
        select outbox.id, outbox.state, outbox.kind, outbox.target, outbox.delivered_at,
               session.kind = 'external' as external,
               (select count(*) from inbox where source_outbox_id = outbox.id)
                 + (select count(*) from message
                    where delivery_id = outbox.id and message.session_id = outbox.session_id and session.kind = 'external') as entries
        from outbox
          join task on task.id = task_id
          join session on session.id = outbox.session_id
        where root_session_id = any(:roots) and session.state <> 'closed') delivery
      where entries <> case
        -- The answer to a call of an external session is in the call.
        when external and kind = 'tool_result' then 0
        when delivered_at is not null then 1
        -- The first attempt also stores the notice in the session, whatever its outcome.
        when target = 'webhook' then least(entries, 1)
        -- A dismissed tool result leaves an error in the place of the result.
        when kind = 'tool_result' and state = 'suppressed' then least(entries, 1)
        else 0 end
      """;

  /** The own messages of a session must not return to its inbox. */
  private static final String MESSAGE_IN_AN_INBOX =
      """
      select 'message ' || message_id || ' is in an inbox'
      from outbox join inbox on source_outbox_id = outbox.id join session on session.id = outbox.session_id
      where root_id = any(:roots) and task_id is null
      """;

  private static final String CONSUMED_WITHOUT_MESSAGE =
      """
      select 'inbox ' || inbox.id || ' (' || inbox.kind || ') is in no transcript'
      from inbox
        join session on session.id = inbox.session_id
        left join message on message.id = inbox.id and message.session_id = inbox.session_id
      where root_id = any(:roots) and inbox.kind <> 'tool_result' and consumed_at is not null and message.id is null
      """;

  private static final String UNANSWERED_CALLS =
      """
      select 'call ' || name || ' ' || message_seq || '.' || idx || ' is ' || tool_call.state
      from tool_call join session on session.id = session_id
      where root_id = any(:roots) and tool_call.state not in ('done', 'unknown', 'denied')
      """;

  private static final String NOT_ONE_END_EVENT =
      """
      select 'the end of task ' || task.id || ' has ' || count(number) || ' events'
      from task left join event on event.root_id = task.root_session_id and subject = task.id
        and type in ('subagent.completed', 'subagent.failed')
      where root_session_id = any(:roots)
      group by task.id
      having count(number) <> 1
      """;

  private static final String MODEL_CALL_WITHOUT_END =
      """
      select 'session ' || session_id || ': ' || string_agg(substr(type, 7), ' ' order by number)
      from event
      where root_id = any(:roots) and type in ('model.started', 'model.ended')
      group by session_id
      having count(*) filter (where type = 'model.started') <> count(*) filter (where type = 'model.ended')
      """;

  /** What model calls used is counted in the transaction that saves the answer. */
  private static final String NOT_COUNTED_ONCE =
      """
      select 'session ' || session.id || ' counts ' || session.input_tokens || ' and ' || session.output_tokens
        || ' tokens for ' || coalesce(session.cost, -1) || ', its messages ' || coalesce(sum(message.input_tokens), 0)
        || ' and ' || coalesce(sum(message.output_tokens), 0) || ' for ' || coalesce(sum(message.cost), -1)
      from session left join message on message.session_id = session.id
      where root_id = any(:roots) and session.state <> 'closed'
      group by session.id
      having (session.input_tokens, session.output_tokens, coalesce(session.cost, -1))
        <> (coalesce(sum(message.input_tokens), 0), coalesce(sum(message.output_tokens), 0), coalesce(sum(message.cost), -1))
      """;

  /** A recurring job that fails runs again at its next time. */
  private static final String FAILED_JOBS =
      "select 'job ' || jobsignature || ' failed' from jobrunr_jobs where state = 'FAILED' and recurringjobid is null";

  private static final List<String> ALL =
      List.of(
          UNFINISHED,
          SEQUENCE_HAS_GAPS,
          NOT_ONE_OUTBOX_ROW,
          NOT_ONE_INBOX_ENTRY,
          MESSAGE_IN_AN_INBOX,
          CONSUMED_WITHOUT_MESSAGE,
          NOT_ONE_END_EVENT,
          MODEL_CALL_WITHOUT_END,
          NOT_COUNTED_ONCE,
          UNANSWERED_CALLS);

  private final Jdbi jdbi;
  private final SessionStore sessions;
  private final Transcript transcript;

  Invariants(Jdbi jdbi, SessionStore sessions, Transcript transcript) {
    this.jdbi = jdbi;
    this.sessions = sessions;
    this.transcript = transcript;
  }

  void awaitRest(Collection<SessionId> roots) {
    await()
        .untilAsserted(
            () -> assertThat(rows(jdbi, UNFINISHED, roots)).as("unfinished work").isEmpty());
  }

  /** Returns the broken invariants in the trees of these roots, which must be at rest. */
  public static List<String> broken(Jdbi jdbi, Collection<SessionId> roots) {
    return ALL.stream().flatMap(query -> rows(jdbi, query, roots).stream()).toList();
  }

  void check(Collection<SessionId> roots) {
    var broken = new ArrayList<>(broken(jdbi, roots));
    broken.addAll(
        jdbi.withHandle(handle -> handle.createQuery(FAILED_JOBS).mapTo(String.class).list()));
    for (var root : roots) {
      sessions.subtree(root).forEach(session -> checkCalls(session, broken));
    }
    assertThat(broken).as("broken invariants").isEmpty();
  }

  /** A tool message directly follows each message with calls, and appears nowhere else. */
  private void checkCalls(SessionId session, List<String> broken) {
    var messages = transcript.read(session);
    for (int index = 0; index < messages.size(); index++) {
      var calls = index == 0 ? List.<String>of() : callIds(messages.get(index - 1));
      var answers = answeredIds(messages.get(index));
      if (!calls.equals(answers)) {
        broken.add("%s at %d: calls %s, answers %s".formatted(session, index, calls, answers));
      }
    }
    if (!messages.isEmpty() && !callIds(messages.getLast()).isEmpty()) {
      broken.add(session + " ends with unanswered calls");
    }
  }

  private static List<String> callIds(Message message) {
    return message.toolCalls().stream().map(Content.ToolCall::id).toList();
  }

  private static List<String> answeredIds(Message message) {
    return message.role() != MessageRole.TOOL
        ? List.of()
        : message.content().stream().map(part -> ((Content.ToolResult) part).toolCallId()).toList();
  }

  private static List<String> rows(Jdbi jdbi, String sql, Collection<SessionId> roots) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(sql)
            .bindArray("roots", UUID.class, roots.stream().map(SessionId::value).toList())
            .mapTo(String.class)
            .list());
  }
}
