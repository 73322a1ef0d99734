package dev.errand.task;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.outbox.CallbackStore;
import dev.errand.postgres.Json;
import dev.errand.postgres.Pipeline;
import dev.errand.postgres.Statement;
import dev.errand.session.SessionUsage;
import dev.errand.session.SessionUsage.SessionTotals;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/**
 * Writes the ends of tasks: state, result and usage. The first end wins (architecture, rule 14).
 */
@Singleton
class TaskEnds {

  /** Ends a live task, and returns all that its events and its delivery need. */
  private static final String END =
      """
      update task
      set session_id = coalesce(session_id, queued_for), queued_for = null, state = :state, stop_reason = :stopReason,
          result = :result, partial = :partial, error_code = :errorCode, error_message = :errorMessage,
          ended_at = clock_timestamp(),
          (turns, input_tokens, cached_input_tokens, output_tokens, tool_calls, cost) = (%s)
      where %s and task.state in ('pending', 'running')
      returning %s, hold_notice_until,
        (select origin from session where session.id = parent_session_id) as parent_origin,
        (select url from session join callback on callback.session_id = session.id
         where session.id = parent_session_id and session.kind = 'external' and disabled_at is null) as callback_url,
        exists (select 1 from task next where next.queued_for = task.session_id)
          or exists (select 1 from session held where held.parent_id = task.parent_session_id and held.waits_for = 'limit') as awaited
      """;

  /** The usage of the child since the task began. */
  private static final String COUNTED =
      SessionUsage.SINCE.formatted("task.session_id", "task.started_at");

  /** The usage of the child since it was created, which is that of its first task. */
  private static final String GIVEN = ":turns, :input, :cached, :output, :calls, :cost";

  private static final String OF_CHILD = "task.session_id = :session";
  private static final String UNLESS_EXPECTING = " and not (" + NestedTasks.EXPECTS + ")";

  private static final String END_ONE = end(COUNTED, "task.id = :id");
  private static final String END_OF_CHILD = end(COUNTED, OF_CHILD);
  private static final String END_UNLESS_EXPECTING = end(COUNTED, OF_CHILD + UNLESS_EXPECTING);
  private static final String END_FIRST_UNLESS_EXPECTING =
      end(GIVEN, OF_CHILD + " and task.created_at = :childSince" + UNLESS_EXPECTING);

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
   * @param holdUntil the earliest time of its delivery; null means now
   * @param awaited whether other tasks wait for this end: for the child or the parent's limit
   */
  record Ended(Task task, @Nullable Instant holdUntil, Receiver parent, boolean awaited) {}

  /**
   * The parent of a task.
   *
   * @param callback the URL of its callback; null when it has none, when the receiver has disabled
   *     it, and when the parent is hosted here: then its agent reads the result, and the agent's
   *     message is posted
   * @param origin where its conversation takes place, as its creator gave it
   */
  record Receiver(@Nullable String callback, @Nullable JsonNode origin) {

    /** Returns the host of the callback. */
    @Nullable String host() {
      return callback == null ? null : CallbackStore.host(callback);
    }
  }

  private static String end(String usage, String which) {
    return END.formatted(usage, which, TaskMapper.LIVE);
  }

  /** Ends a live task. */
  @Transactional(TxType.MANDATORY)
  Ended end(TaskId task, TaskOutcome outcome) {
    return write(END_ONE, statement -> statement.bind("id", task.value()), outcome).orElseThrow();
  }

  /** Ends the live task of a child; empty when it has none. */
  @Transactional(TxType.MANDATORY)
  Optional<Ended> endOf(SessionId child, TaskOutcome outcome) {
    return write(END_OF_CHILD, statement -> statement.bind("session", child.value()), outcome);
  }

  /**
   * Like {@link #endOf}, but not while the child waits for tasks below it; empty then, too.
   *
   * <p>Nearly every task is the first one of its child, and its usage is known. Its statement does
   * not count turns, so that PostgreSQL keeps its plan.
   */
  @Transactional(TxType.MANDATORY)
  Optional<Ended> endUnlessExpecting(SessionTotals child, TaskOutcome outcome) {
    return endFirst(child, outcome)
        .or(() ->
            write(
                END_UNLESS_EXPECTING,
                statement -> statement.bind("session", child.id().value()),
                outcome));
  }

  private Optional<Ended> endFirst(SessionTotals child, TaskOutcome outcome) {
    var used = child.usage();
    var cost = used.cost();
    return write(
        END_FIRST_UNLESS_EXPECTING,
        statement ->
            statement
                .bind("session", child.id().value())
                .bind("childSince", child.createdAt())
                .bind("turns", used.turns())
                .bind("input", used.inputTokens())
                .bind("cached", used.cachedInputTokens())
                .bind("output", used.outputTokens())
                .bind("calls", used.toolCalls())
                .bind("cost", cost == null ? null : cost.micros()),
        outcome);
  }

  private Optional<Ended> write(String sql, UnaryOperator<Statement> which, TaskOutcome outcome) {
    var error = outcome.error();
    var end =
        which
            .apply(Statement.of(sql))
            .bind("state", outcome.state().word())
            .bind("stopReason", outcome.stopReason().word())
            .bind("result", outcome.result())
            .bind("partial", outcome.partial())
            .bind("errorCode", error == null ? null : error.code())
            .bind("errorMessage", error == null ? null : error.message());
    return Pipeline.execute(jdbi, end, this::ended).find();
  }

  private Ended ended(ResultSet row, StatementContext context) throws SQLException {
    var holdUntil = row.getTimestamp("hold_notice_until");
    return new Ended(
        mapper.map(row, context),
        holdUntil == null ? null : holdUntil.toInstant(),
        new Receiver(row.getString("callback_url"), json.readTree(row.getString("parent_origin"))),
        row.getBoolean("awaited"));
  }
}
