package dev.errand.task;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.outbox.CallbackStore;
import dev.errand.postgres.Json;
import dev.errand.postgres.Pipeline;
import dev.errand.postgres.Statement;
import dev.errand.session.SessionTotals;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/**
 * Writes the ends of tasks: state, result and usage. The first end wins (architecture, rule 14).
 */
@Singleton
class TaskEnds {

  /**
   * Ends a live task, by its id or that of its child, and returns all that its events and its
   * delivery need. What its child has used is counted since the task began. Parameters are read by
   * queries of their own, so that PostgreSQL plans the statement once and not for each value.
   */
  private static final String END =
      """
      update task
      set session_id = coalesce(session_id, queued_for), queued_for = null, state = :state, stop_reason = :stopReason,
          result = :result, partial = :partial, error_code = :errorCode, error_message = :errorMessage,
          ended_at = clock_timestamp(),
          (turns, input_tokens, cached_input_tokens, output_tokens, tool_calls, cost) = (
            select count(*) filter (where role = 'assistant'), coalesce(sum(message.input_tokens), 0),
                   coalesce(sum(message.cached_input_tokens), 0), coalesce(sum(message.output_tokens), 0),
                   coalesce(sum(jsonb_array_length(jsonb_path_query_array(content::jsonb, '$[*] ? (@.type == "tool_call")'))), 0),
                   sum(message.cost)::bigint
            from message
            where message.session_id = task.session_id and (role = 'assistant' or message.kind = 'summary')
              and message.created_at >= task.started_at)
      where task.state in ('pending', 'running')
        and task.id = coalesce(:id, (
          select live.id from task live where live.session_id = :session and live.state in ('pending', 'running')))
        and not (:unlessExpecting and (
          exists (select 1 from task below where below.parent_session_id = (select :session) and below.state in ('pending', 'running'))
          or exists (select 1 from outbox
                     where outbox.session_id = (select :session) and outbox.state = 'pending' and task_id is not null)))
      returning task.*, null::text as delivery_state, null::text as changes, hold_notice_until,
        (select origin from session where session.id = parent_session_id) as parent_origin,
        (select url from session join callback on callback.session_id = session.id
         where session.id = parent_session_id and session.kind = 'external' and disabled_at is null) as callback_url,
        exists (select 1 from task next where next.queued_for = task.session_id)
          or exists (select 1 from session waiting where waiting.parent_id = task.parent_session_id and waiting.waits_for = 'limit') as awaited
      """;

  /**
   * Ends the first task of a child, whose usage is that of the child, unless tasks below it are
   * expected. It does not count turns, so that PostgreSQL keeps its plan.
   */
  private static final String END_FIRST_UNLESS_EXPECTING =
      """
      update task
      set session_id = coalesce(session_id, queued_for), queued_for = null, state = :state, stop_reason = :stopReason,
          result = :result, partial = :partial, error_code = :errorCode, error_message = :errorMessage,
          ended_at = clock_timestamp(),
          (turns, input_tokens, cached_input_tokens, output_tokens, tool_calls, cost) = (:turns, :input, :cached, :output, :calls, :cost)
      where task.session_id = :session and task.created_at = :childSince and task.state in ('pending', 'running')
        and not (
          exists (select 1 from task below where below.parent_session_id = (select :session) and below.state in ('pending', 'running'))
          or exists (select 1 from outbox
                     where outbox.session_id = (select :session) and outbox.state = 'pending' and task_id is not null))
      returning task.*, null::text as delivery_state, null::text as changes, hold_notice_until,
        (select origin from session where session.id = parent_session_id) as parent_origin,
        (select url from session join callback on callback.session_id = session.id
         where session.id = parent_session_id and session.kind = 'external' and disabled_at is null) as callback_url,
        exists (select 1 from task next where next.queued_for = task.session_id)
          or exists (select 1 from session waiting where waiting.parent_id = task.parent_session_id and waiting.waits_for = 'limit') as awaited
      """;

  private final Jdbi jdbi;
  private final Json json;
  private final TaskMapper mapper = new TaskMapper();

  TaskEnds(Jdbi jdbi, Json json) {
    this.jdbi = jdbi;
    this.json = json;
  }

  /**
   * A task whose end is written.
   *
   * @param keepUntil the earliest time of its delivery; null means now
   * @param awaited whether other tasks wait for this end: for the child or the parent's limit
   */
  record EndedTask(
      Task task, @Nullable Instant keepUntil, ParentReceiver parent, boolean awaited) {}

  /**
   * The parent of a task.
   *
   * @param callback the URL of its callback; null when it has none, when the receiver has disabled
   *     it, and when the parent is hosted here: then its agent reads the result, and the agent's
   *     message is posted
   * @param origin where its conversation takes place, as its creator gave it
   */
  record ParentReceiver(@Nullable String callback, @Nullable JsonNode origin) {

    /** Returns the host of the callback. */
    @Nullable String host() {
      return callback == null ? null : CallbackStore.host(callback);
    }
  }

  /** Ends a live task. */
  @Transactional(TxType.MANDATORY)
  EndedTask end(TaskId task, TaskOutcome outcome) {
    return write(counting(task, null, false), outcome).orElseThrow();
  }

  /** Ends the live task of a child; empty when it has none. */
  @Transactional(TxType.MANDATORY)
  Optional<EndedTask> endOf(SessionId child, TaskOutcome outcome) {
    return write(counting(null, child, false), outcome);
  }

  /**
   * Ends the task as {@link #endOf} does, but not while the child waits for tasks below it; returns
   * empty then, too. Nearly every task is the first task of its child.
   */
  @Transactional(TxType.MANDATORY)
  Optional<EndedTask> endUnlessExpecting(SessionTotals child, TaskOutcome outcome) {
    return write(first(child), outcome).or(() -> write(counting(null, child.id(), true), outcome));
  }

  private static Statement counting(
      @Nullable TaskId task, @Nullable SessionId child, boolean unlessExpecting) {
    return Statement.of(END)
        .bind("id", task)
        .bind("session", child)
        .bind("unlessExpecting", unlessExpecting);
  }

  private static Statement first(SessionTotals child) {
    var used = child.usage();
    var cost = used.cost();
    return Statement.of(END_FIRST_UNLESS_EXPECTING)
        .bind("session", child.id())
        .bind("childSince", child.createdAt())
        .bind("turns", used.turns())
        .bind("input", used.inputTokens())
        .bind("cached", used.cachedInputTokens())
        .bind("output", used.outputTokens())
        .bind("calls", used.toolCalls())
        .bind("cost", cost == null ? null : cost.micros());
  }

  private Optional<EndedTask> write(Statement end, TaskOutcome outcome) {
    var error = outcome.error();
    end.bind("state", outcome.state())
        .bind("stopReason", outcome.stopReason())
        .bind("result", outcome.result())
        .bind("partial", outcome.partial())
        .bind("errorCode", error == null ? null : error.code())
        .bind("errorMessage", error == null ? null : error.message());
    return Pipeline.execute(jdbi, end, this::ended).find();
  }

  private EndedTask ended(ResultSet row, StatementContext context) throws SQLException {
    var keepUntil = row.getTimestamp("hold_notice_until");
    return new EndedTask(
        mapper.map(row, context),
        keepUntil == null ? null : keepUntil.toInstant(),
        new ParentReceiver(
            row.getString("callback_url"), json.readTree(row.getString("parent_origin"))),
        row.getBoolean("awaited"));
  }
}
