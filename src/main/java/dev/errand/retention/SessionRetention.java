package dev.errand.retention;

import dev.errand.conversation.SessionId;
import dev.errand.postgres.RetentionConfig;
import dev.errand.session.SessionStore;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.UUID;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;

/**
 * Deletes trees of sessions that nobody has touched for long: transcripts, tasks, results and
 * deliveries, one session in one transaction, on every node. A tree in which something is still
 * owed, or lies dead, stays until somebody has looked after it: no result goes in silence (C6).
 */
@ApplicationScoped
class SessionRetention {

  private static final Logger LOG = Logger.getLogger(SessionRetention.class);
  private static final int BATCH = 50;

  private static final String DUE =
      """
      select id from session root
      where parent_id is null and created_at < clock_timestamp() - :keepMs * interval '1 millisecond'
        and not exists (
          select 1 from session
          where root_id = root.id
            and (state not in ('idle', 'closed')
              or updated_at >= clock_timestamp() - :keepMs * interval '1 millisecond'))
        and not exists (
          select 1 from task left join outbox on task_id = task.id
          where root_session_id = root.id
            and (ended_at is null
              or ended_at >= clock_timestamp() - :keepMs * interval '1 millisecond'
              or outbox.state in ('pending', 'dead')))
        and not exists (
          select 1 from outbox
          where outbox.session_id = root.id and task_id is null and outbox.state in ('pending', 'dead'))
      order by created_at
      limit :batch
      """;

  private final Jdbi jdbi;
  private final RetentionConfig config;
  private final SessionStore sessions;
  private final CleanStep close;
  private final RemoveStep remove;

  SessionRetention(
      Jdbi jdbi,
      RetentionConfig config,
      SessionStore sessions,
      CleanStep close,
      RemoveStep remove) {
    this.jdbi = jdbi;
    this.config = config;
    this.sessions = sessions;
    this.close = close;
    this.remove = remove;
  }

  @Scheduled(
      every = "10m",
      delayed = "1m",
      concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void sweep() {
    List<SessionId> due;
    do {
      due = due();
    } while (due.stream().filter(this::remove).count() == BATCH);
  }

  /**
   * Closed from the top first, so that none of them can delegate meanwhile; one that somebody has
   * just woken stays, and with it all that is left of the tree.
   */
  private boolean remove(SessionId root) {
    var tree = sessions.subtree(root);
    if (!tree.stream().allMatch(close::close)) {
      return false;
    }
    tree.reversed().forEach(remove::remove);
    LOG.infof("%s is deleted with all below it: its time is over", root);
    return true;
  }

  private List<SessionId> due() {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(DUE)
            .bind("keepMs", config.sessions().toMillis())
            .bind("batch", BATCH)
            .mapTo(UUID.class)
            .map(SessionId::new)
            .list());
  }
}
