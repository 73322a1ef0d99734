package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.session.LimitConfig;
import dev.errand.session.TreeStore;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/**
 * The background tasks of one parent, which has a limit for them. A task does not count against it
 * while it waits for the limit, a slot or a busy child.
 */
@Singleton
class Siblings {

  private static final String COUNT =
      """
      select count(*) as live, count(*) filter (where coalesce(child.waits_for not in ('limit', 'slot'), true)) as admitted
      from task sibling join session child on child.id = sibling.session_id
      where sibling.parent_session_id = :parent and sibling.background and sibling.state in ('pending', 'running')
        and sibling.id <> :except
      """;

  private static final String BEHIND =
      """
      select count(*)
      from task waiting join session own on own.id = waiting.session_id
        join task sibling on sibling.parent_session_id = waiting.parent_session_id
        join session child on child.id = sibling.session_id
      where waiting.id = :id and waiting.state = 'pending' and own.waits_for = 'limit'
        and sibling.background and sibling.state in ('pending', 'running')
        and coalesce(child.waits_for not in ('limit', 'slot'), true)
      """;

  /**
   * Steps from parent to parent in the index. Siblings that wait for a slot have taken room from
   * those of a lower priority, which is {@code waits_order} in units of {@link WaitOrder#BAND}.
   */
  private static final String ADMISSIBLE =
      """
      with recursive parent as (
        (select parent_id as id from session where waits_for = 'limit' order by parent_id limit 1)
        union all
        select (select parent_id from session where waits_for = 'limit' and parent_id > parent.id order by parent_id limit 1)
        from parent where id is not null)
      select waiting.id
      from parent
      cross join lateral (
        select count(*) as admitted
        from task sibling join session child on child.id = sibling.session_id
        where sibling.parent_session_id = parent.id and sibling.background and sibling.state in ('pending', 'running')
          and coalesce(child.waits_for not in ('limit', 'slot'), true)) siblings
      cross join lateral (
        select id, root_id, waits_order, row_number() over (order by waits_order, id) as place
        from session where parent_id = parent.id and waits_for = 'limit'
        order by waits_order, id limit :limit) waiting
      join tree on tree.root_id = waiting.root_id
      where place + admitted + (
        select count(*)
        from task sibling join session child on child.id = sibling.session_id
        where sibling.parent_session_id = parent.id and sibling.background and sibling.state in ('pending', 'running')
          and child.waits_for = 'slot' and child.waits_order / :band <= waiting.waits_order / :band)
        <= least(max_background_tasks, :cap::int)
      order by waiting.waits_order, waiting.id
      limit :limit
      """;

  private final Jdbi jdbi;
  private final TreeStore trees;
  private final LimitConfig config;

  Siblings(Jdbi jdbi, TreeStore trees, LimitConfig config) {
    this.jdbi = jdbi;
    this.trees = trees;
    this.config = config;
  }

  /**
   * The numbers of background tasks of one parent that have not ended, without those that are
   * queued for a child.
   *
   * @param admitted those that count against the limit
   */
  record Counts(int live, int admitted) {}

  /** Counts the live background tasks of {@code parent}, except one. */
  Counts count(SessionId parent, TaskId except) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(COUNT)
            .bind("parent", parent)
            .bind("except", except)
            .mapTo(Counts.class)
            .one());
  }

  /** Returns whether a task may count against the limit, too. Locks the tree if it has to. */
  @Transactional(TxType.MANDATORY)
  boolean haveRoomFor(Task task) {
    return !task.background()
        || trees
            .lock(task.root())
            .filter(tree ->
                count(task.parent(), task.id()).admitted() < tree.limits().maxBackgroundTasks())
            .isPresent();
  }

  /**
   * Returns the number of siblings that a task waits for; 0 when it does not wait for the limit.
   */
  int before(TaskId id) {
    return jdbi.withHandle(
        handle -> handle.createQuery(BEHIND).bind("id", id).mapTo(Integer.class).one());
  }

  /**
   * Returns the children that wait for their parent's limit although it has room for them, at most
   * {@code limit}: per parent the highest priority first, then the oldest.
   */
  List<SessionId> admissible(int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(ADMISSIBLE)
            .bind("limit", limit)
            .bind("band", WaitOrder.BAND)
            .bind("cap", config.cap().maxBackgroundTasks().orElse(Integer.MAX_VALUE))
            .mapTo(SessionId.class)
            .list());
  }
}
