package dev.errand.task;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.postgres.AfterCommit;
import dev.errand.postgres.Json;
import dev.errand.session.SessionClaims;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** The consequences of a claim of a child for its task. */
@Singleton
public class TaskClaims {

  private static final String BEGIN =
      """
      update task
      set state = 'running', attempts = attempts + case task.state when 'pending' then 1 else 0 end,
          started_at = coalesce(started_at, now()),
          deadline_at = coalesce(deadline_at, now() + timeout_ms * interval '1 millisecond')
      from (select id, state from task
            where session_id = :session and state in ('pending', 'running') for no key update) before
      where task.id = before.id
      returning task.*, null::text as delivery_state, null::text as changes,
                before.state = 'running' as is_continued,
                ceil(extract(epoch from deadline_at - clock_timestamp()) * 1000)::bigint as left_ms,
                (select origin from session parent where parent.id = parent_session_id) as parent_origin
      """;

  private final Jdbi jdbi;
  private final Json json;
  private final Deadlines deadlines;
  private final TaskMetrics metrics;
  private final TaskEvents events;
  private final AfterCommit afterCommit;
  private final TaskMapper mapper = new TaskMapper();

  TaskClaims(
      Jdbi jdbi,
      Json json,
      Deadlines deadlines,
      TaskMetrics metrics,
      TaskEvents events,
      AfterCommit afterCommit) {
    this.jdbi = jdbi;
    this.json = json;
    this.deadlines = deadlines;
    this.metrics = metrics;
    this.events = events;
    this.afterCommit = afterCommit;
  }

  /**
   * Returns whether the task of a claimed child has never run, so that it may have to wait.
   * Otherwise, and for a root, {@link #begin} follows in any case.
   */
  @Transactional(TxType.MANDATORY)
  public boolean isNew(SessionClaims.ClaimedSession claim) {
    var session = claim.session();
    return session.parent() != null && (claim.isFirst() || lockNew(session.id()));
  }

  /**
   * Begins the task of a claimed session.
   *
   * @return the attempt that begins or is continued; null when the session has no live task
   */
  @Transactional(TxType.MANDATORY)
  public @Nullable TaskAttempt begin(SessionClaims.ClaimedSession claim) {
    var session = claim.session();
    var begun = session.parent() == null ? null : begin(session.id()).orElse(null);
    if (begun == null) {
      return null;
    }
    var task = begun.task();
    note(begun);
    if (!begun.isContinued()) {
      afterCommit.run(() -> TaskLog.started(task));
    }
    return new TaskAttempt(task.id(), task.attempts());
  }

  private void note(BegunTask begun) {
    deadlines.arm(begun.left());
    if (begun.isContinued()) {
      return;
    }
    var task = begun.task();
    var startedAt = task.startedAt();
    if (startedAt != null && task.attempts() == 1) {
      metrics.started(Duration.between(task.createdAt(), startedAt));
      events.started(task, begun.origin());
    }
  }

  /** Locks the live task of a child. Returns whether there is one and it has never run. */
  private boolean lockNew(SessionId child) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select started_at is null from task
                where session_id = :session and state in ('pending', 'running') for no key update
                """)
            .bind("session", child)
            .mapTo(Boolean.class)
            .findOne()
            .orElse(false));
  }

  /**
   * A task that a worker starts or continues.
   *
   * @param isContinued whether its attempt had begun before
   * @param left the time that is left for it
   * @param origin of its parent
   */
  private record BegunTask(
      Task task, boolean isContinued, Duration left, @Nullable JsonNode origin) {}

  /** The time-out counts from the first start. Empty when no task is live. */
  private Optional<BegunTask> begin(SessionId child) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(BEGIN)
            .bind("session", child)
            .map((row, context) -> begun(mapper.map(row, context), row))
            .findOne());
  }

  private BegunTask begun(Task task, ResultSet row) throws SQLException {
    return new BegunTask(
        task,
        row.getBoolean("is_continued"),
        Duration.ofMillis(row.getLong("left_ms")),
        json.readTree(row.getString("parent_origin")));
  }

  /**
   * The attempt of a task that a run makes.
   *
   * @param number 1 for the first attempt
   */
  public record TaskAttempt(TaskId task, int number) {}
}
