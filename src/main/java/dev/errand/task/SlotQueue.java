package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.session.WaitReason;
import dev.errand.session.Waits;
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
 * The children that wait for a slot, each in a round of its tenant and priority. A parent has one
 * child in each round. A parent that joins begins with the round after the current one, so that a
 * stream of new parents never delays the old parents.
 */
@Singleton
class SlotQueue {

  /** The lowest round of a tenant and a priority is the current one. */
  private static final String PLACE =
      """
      select 1 + greatest(:from,
        (select waits_order from session
         where tenant = :tenant and waits_for = 'slot' and waits_order >= :from and waits_order < :from + :band
         order by waits_order limit 1),
        (select waits_order from session
         where parent_id = :parent and waits_for = 'slot' and waits_order >= :from and waits_order < :from + :band
         order by waits_order desc limit 1))
      """;

  /** Steps from tenant to tenant in the index, and reads the first children of each. */
  private static final String FIRST =
      """
      with recursive waiting as (
        (select tenant from session where waits_for = 'slot' order by tenant limit 1)
        union all
        select (select session.tenant from session
                where waits_for = 'slot' and session.tenant > waiting.tenant order by session.tenant limit 1)
        from waiting where waiting.tenant is not null)
      select waiting.tenant, first.*
      from waiting left join lateral (
        select task.id, session_id, root_session_id, background, waits_order, waits_since
        from session join task on task.session_id = session.id and task.state = 'pending'
        where waits_for = 'slot' and session.tenant = waiting.tenant
        order by waits_order, waits_since limit :limit) first on true
      where waiting.tenant is not null
      order by waiting.tenant, waits_order, waits_since
      """;

  private final Jdbi jdbi;
  private final Waits waits;

  SlotQueue(Jdbi jdbi, Waits waits) {
    this.jdbi = jdbi;
    this.waits = waits;
  }

  /** A task whose child waits for a slot. */
  record WaitingTask(TaskId id, SessionId child, SessionId root, boolean background) {}

  /** Makes the child of a task wait for a slot; this transaction has created or locked it. */
  @Transactional(TxType.MANDATORY)
  void enter(Task task) {
    long place =
        jdbi.withHandle(handle ->
            handle
                .createQuery(PLACE)
                .bind("from", WaitOrder.of(task.priority()))
                .bind("band", WaitOrder.BAND)
                .bind("tenant", task.tenant())
                .bind("parent", task.parent())
                .mapTo(Long.class)
                .one());
    waits.enter(task.child(), WaitReason.SLOT, place);
  }

  /**
   * Returns the tasks that get the next slots of each tenant that has some that wait: at most
   * {@code limit} of each, in their order.
   */
  Map<String, Deque<WaitingTask>> first(int limit) {
    var first = new HashMap<String, Deque<WaitingTask>>();
    jdbi.useHandle(handle ->
        handle.createQuery(FIRST).bind("limit", limit).map((row, _) -> read(row, first)).list());
    return first;
  }

  private static boolean read(ResultSet row, Map<String, Deque<WaitingTask>> first)
      throws SQLException {
    var tasks = first.computeIfAbsent(row.getString("tenant"), _ -> new ArrayDeque<>());
    var id = row.getObject("id", UUID.class);
    return id != null
        && tasks.add(
            new WaitingTask(
                new TaskId(id),
                new SessionId(row.getObject("session_id", UUID.class)),
                new SessionId(row.getObject("root_session_id", UUID.class)),
                row.getBoolean("background")));
  }
}
