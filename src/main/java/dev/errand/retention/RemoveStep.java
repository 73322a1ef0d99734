package dev.errand.retention;

import dev.errand.conversation.SessionId;
import dev.errand.outbox.OutboxStore;
import dev.errand.session.SessionStore;
import dev.errand.session.SessionTransitions;
import dev.errand.session.TreeStore;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import org.jdbi.v3.core.Jdbi;

/** Deletes one session without children, and the tasks of and for it, in one transaction. */
@ApplicationScoped
class RemoveStep {

  private static final String OWED =
      """
      select count(*) from task join outbox on outbox.task_id = task.id
      where task.session_id = :id and outbox.state = 'pending'
      """;

  private static final String DELETE_TASKS =
      """
      with gone as (
        delete from task where session_id = :id or parent_session_id = :id returning id),
      keys as (
        delete from idempotency_key where task_id in (select id from gone))
      select count(*) from gone
      """;

  private final Jdbi jdbi;
  private final SessionTransitions transitions;
  private final SessionStore sessions;
  private final OutboxStore outbox;
  private final TreeStore trees;

  RemoveStep(
      Jdbi jdbi,
      SessionTransitions transitions,
      SessionStore sessions,
      OutboxStore outbox,
      TreeStore trees) {
    this.jdbi = jdbi;
    this.transitions = transitions;
    this.sessions = sessions;
    this.outbox = outbox;
    this.trees = trees;
  }

  /** Nobody reads any more what is on its way to a session that is to be deleted. */
  @Transactional
  void forgetMail(SessionId id) {
    transitions.lock(id);
    outbox.suppressFor(id);
  }

  /**
   * @throws NoticeOwedException somebody was not told yet how the session's task ended; nothing was
   *     deleted
   */
  @Transactional
  void remove(SessionId id) {
    transitions.lock(id);
    if (owed(id) > 0) {
      throw new NoticeOwedException(id);
    }
    var tasks = deleteTasks(id);
    outbox.deleteMessagesOf(id);
    trees.forget(id, tasks);
    sessions.delete(id);
  }

  private int deleteTasks(SessionId id) {
    return jdbi.withHandle(handle ->
        handle.createQuery(DELETE_TASKS).bind("id", id.value()).mapTo(Integer.class).one());
  }

  private long owed(SessionId id) {
    return jdbi.withHandle(
        handle -> handle.createQuery(OWED).bind("id", id.value()).mapTo(Long.class).one());
  }
}
