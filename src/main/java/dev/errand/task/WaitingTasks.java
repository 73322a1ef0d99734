package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * The tasks that wait for a slot: pending, without a job, each in a round of its tenant and
 * priority. A parent has one task in each round. A parent that joins begins with the round after
 * the current one, so that a stream of new parents never holds up the old ones.
 */
@Singleton
class WaitingTasks {

  /** The condition of the indexes. */
  private static final String WAITS =
      "state = 'pending' and admitted_at is null and slot_round is not null";

  static final String SOME_WAIT = "exists (select 1 from task where " + WAITS + ")";

  /** The lowest round of a tenant and a priority is the current one. */
  private static final String ENTER =
      """
      update task
      set admitted_at = null,
          slot_round = 1 + greatest(0,
            (select slot_round from task first
             where first.tenant = task.tenant and first.priority = task.priority and %1$s
             order by first.slot_round limit 1),
            (select slot_round from task own
             where own.parent_session_id = task.parent_session_id and own.priority = task.priority and %1$s
             order by own.slot_round desc limit 1))
      where id = :id
      """
          .formatted(WAITS);

  /** Steps from tenant to tenant in the index, and reads the first tasks of each. */
  private static final String FIRST =
      """
      with recursive waiting as (
        (select tenant from task where %1$s order by tenant limit 1)
        union all
        select (select task.tenant from task
                where %1$s and task.tenant > waiting.tenant order by task.tenant limit 1)
        from waiting where waiting.tenant is not null)
      select waiting.tenant, first.*
      from waiting left join lateral (
        select id, session_id, root_session_id, background, priority, slot_round from task
        where %1$s and task.tenant = waiting.tenant
        order by priority desc, slot_round, id limit :limit) first on true
      where waiting.tenant is not null
      order by waiting.tenant, priority desc, slot_round, id
      """
          .formatted(WAITS);

  /** A task whose parent has no room leaves the queue, and waits for its parent's limit. */
  private static final String ADMIT =
      """
      update task
      set slot_round = null,
          admitted_at = case when not background or :room > (
            select count(*) from task sibling
            where sibling.parent_session_id = task.parent_session_id and sibling.background
              and sibling.state in ('pending', 'running') and sibling.admitted_at is not null) then clock_timestamp() end
      where id = :id and %s
      returning admitted_at is not null
      """
          .formatted(WAITS);

  private final Jdbi jdbi;

  WaitingTasks(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** A task that waits for a slot. */
  record Waiting(TaskId id, SessionId child, SessionId root, boolean background) {}

  /** Lets a pending task wait for a slot. Its child waits without a job. */
  @Transactional(TxType.MANDATORY)
  void enter(TaskId id) {
    jdbi.useHandle(handle -> handle.createUpdate(ENTER).bind("id", id.value()).execute());
  }

  /**
   * The tasks that get the next slots of each tenant that has waiting tasks: at most {@code limit}
   * of each, in their order.
   */
  Map<String, Deque<Waiting>> first(int limit) {
    var first = new HashMap<String, Deque<Waiting>>();
    jdbi.useHandle(handle ->
        handle.createQuery(FIRST).bind("limit", limit).map((row, _) -> read(row, first)).list());
    return first;
  }

  private static boolean read(ResultSet row, Map<String, Deque<Waiting>> first)
      throws SQLException {
    var tasks = first.computeIfAbsent(row.getString("tenant"), _ -> new ArrayDeque<>());
    var id = row.getObject("id", UUID.class);
    return id != null
        && tasks.add(
            new Waiting(
                new TaskId(id),
                new SessionId(row.getObject("session_id", UUID.class)),
                new SessionId(row.getObject("root_session_id", UUID.class)),
                row.getBoolean("background")));
  }

  /**
   * Gives a slot to a task that waits for one.
   *
   * @param room the parent's number of background tasks, which this transaction has locked
   * @return false when it does not wait for a slot any more
   */
  @Transactional(TxType.MANDATORY)
  boolean admit(TaskId id, int room) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(ADMIT)
            .bind("id", id.value())
            .bind("room", room)
            .mapTo(Boolean.class)
            .findOne()
            .orElse(false));
  }
}
