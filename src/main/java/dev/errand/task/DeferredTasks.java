package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.session.LimitConfig;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * Tasks that are pending without a job: held because their parent has the maximum number running,
 * or waiting for their next attempt. Their sessions are {@code waiting}. Those that wait for a slot
 * are {@link WaitingTasks}.
 */
@Singleton
class DeferredTasks {

  private static final String SIBLINGS =
      """
      select count(*) as live, count(admitted_at) as admitted
      from task
      where parent_session_id = :parent and background and state in ('pending', 'running') and id <> :except
      """;

  private static final String QUEUED_BEHIND =
      """
      select count(*)
      from task held join task sibling using (parent_session_id)
      where held.id = :id and held.state = 'pending' and held.admitted_at is null and held.slot_round is null
        and sibling.background and sibling.state in ('pending', 'running') and sibling.admitted_at is not null
      """;

  /** The condition of the index. */
  private static final String IS_HELD =
      "state = 'pending' and admitted_at is null and slot_round is null and in_line_for is null";

  /**
   * Steps from parent to parent in the index. Siblings that wait for a slot have taken room from
   * those of a lower priority.
   */
  private static final String HELD =
      """
      with recursive parent as (
        (select parent_session_id as id from task where %1$s order by parent_session_id limit 1)
        union all
        select (select parent_session_id from task
                where %1$s and parent_session_id > parent.id order by parent_session_id limit 1)
        from parent where id is not null)
      select session_id
      from parent
      cross join lateral (
        select count(*) as admitted from task sibling
        where sibling.parent_session_id = parent.id and background
          and state in ('pending', 'running') and admitted_at is not null) siblings
      cross join lateral (
        select session_id, priority, created_at, id, root_session_id,
               row_number() over (order by priority desc, created_at, id) as place
        from task where parent_session_id = parent.id and %1$s
        order by priority desc, created_at, id limit :limit) held
      join tree on root_id = root_session_id
      where place + admitted + (
        select count(*) from task ahead
        where ahead.parent_session_id = parent.id and ahead.background and ahead.priority >= held.priority
          and state = 'pending' and admitted_at is null and slot_round is not null)
        <= least(max_background_tasks, :cap::int)
      order by held.priority desc, held.created_at, held.id
      limit :limit
      """
          .formatted(IS_HELD);

  private static final String HOLD = "update task set admitted_at = null where id = ?";

  private static final String ADMIT =
      """
      update task set admitted_at = clock_timestamp()
      where id = ? and state = 'pending' and admitted_at is null and slot_round is null
      returning tenant
      """;

  private static final String RETRY =
      """
      update task set state = 'pending', not_before = clock_timestamp() + :ms * interval '1 millisecond'
      where id = :id and state = 'running'
      returning not_before
      """;

  private static final String DUE =
      """
      select session_id from task
      where state = 'pending' and not_before <= statement_timestamp()
      order by not_before limit :limit
      """;

  private static final String RETRY_NOW =
      """
      update task set not_before = null where session_id = ? and state = 'pending' and not_before <= clock_timestamp()
      """;

  /** Held tasks, whether or not there is room for them, or tasks whose next attempt is due. */
  static final String SOME_DUE =
      """
      exists (select 1 from task where %s)
      or exists (select 1 from task where state = 'pending' and not_before <= now())
      """
          .formatted(IS_HELD);

  private final Jdbi jdbi;
  private final LimitConfig config;

  DeferredTasks(Jdbi jdbi, LimitConfig config) {
    this.jdbi = jdbi;
    this.config = config;
  }

  /**
   * Numbers of background tasks of one parent that have not ended.
   *
   * @param admitted those that are not held
   */
  record Siblings(int live, int admitted) {}

  /** Counts the live background tasks of {@code parent}, except one. */
  Siblings siblings(SessionId parent, TaskId except) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(SIBLINGS)
            .bind("parent", parent.value())
            .bind("except", except.value())
            .map((row, _) -> new Siblings(row.getInt("live"), row.getInt("admitted")))
            .one());
  }

  /** The number of running siblings that a task waits for; 0 when it is not held. */
  int queuedBehind(TaskId id) {
    return jdbi.withHandle(handle ->
        handle.createQuery(QUEUED_BEHIND).bind("id", id.value()).mapTo(Integer.class).one());
  }

  /** Holds a task that this transaction inserted. */
  @Transactional(TxType.MANDATORY)
  void hold(TaskId id) {
    jdbi.useHandle(handle -> handle.execute(HOLD, id.value()));
  }

  /**
   * The children of held tasks whose parents have room for them, at most {@code limit}: per parent
   * the highest priority first, then the oldest.
   */
  List<SessionId> admissible(int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(HELD)
            .bind("limit", limit)
            .bind("cap", config.cap().maxBackgroundTasks().orElse(Integer.MAX_VALUE))
            .mapTo(UUID.class)
            .map(SessionId::new)
            .list());
  }

  /**
   * Ends the wait of a held task for its parent's limit.
   *
   * @return its tenant; empty when the task is not held
   */
  @Transactional(TxType.MANDATORY)
  Optional<String> admit(TaskId id) {
    return jdbi.withHandle(
        handle -> handle.createQuery(ADMIT).bind(0, id.value()).mapTo(String.class).findOne());
  }

  /**
   * Makes a running task wait for its next attempt.
   *
   * @return when the attempt is due
   */
  @Transactional(TxType.MANDATORY)
  Instant scheduleRetry(TaskId id, Duration delay) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(RETRY)
            .bind("id", id.value())
            .bind("ms", delay.toMillis())
            .mapTo(Instant.class)
            .one());
  }

  /** The children of tasks whose next attempt is due, at most {@code limit}. */
  List<SessionId> due(int limit) {
    return jdbi.withHandle(handle ->
        handle.createQuery(DUE).bind("limit", limit).mapTo(UUID.class).map(SessionId::new).list());
  }

  /**
   * Ends the wait for the next attempt of a child's task.
   *
   * @return false when the child has no task whose next attempt is due
   */
  @Transactional(TxType.MANDATORY)
  boolean retryNow(SessionId child) {
    return jdbi.withHandle(handle -> handle.execute(RETRY_NOW, child.value())) == 1;
  }
}
