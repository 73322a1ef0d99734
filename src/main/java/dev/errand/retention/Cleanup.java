package dev.errand.retention;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.session.SessionStore;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.UUID;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;

/**
 * Deletes the transcripts of children whose task asked for it, once its result was received or
 * given up (R6): of the child and of all below it, one session in one transaction, on every node.
 * The task's row stays whole, so that whoever lost the answer reads it again.
 */
@ApplicationScoped
class Cleanup {

  private static final Logger LOG = Logger.getLogger(Cleanup.class);
  private static final int BATCH = 50;

  /**
   * A hosted parent has a result when it is delivered; an external one without a callback only when
   * it came for it. The session's latest task decides, and none of its results may still be owed.
   */
  private static final String DUE =
      """
      select task.id, task.session_id
      from task
        join session child on child.id = task.session_id
        join session parent on parent.id = task.parent_session_id
      where task.cleanup = 'delete' and task.ended_at is not null and task.cleaned_at is null
        and child.state in ('idle', 'closed')
        and not exists (
          select 1 from task other left join outbox owed on owed.task_id = other.id and owed.state = 'pending'
          where (other.session_id = task.session_id or other.in_line_for = task.session_id)
            and (other.ended_at is null or owed.id is not null or other.created_at > task.created_at))
        and not exists (
          select 1 from task below where below.parent_session_id = child.id and below.ended_at is null)
        and (parent.kind = 'hosted' or exists (
          select 1 from outbox
          where outbox.task_id = task.id
            and (outbox.state in ('consumed', 'suppressed', 'dead')
              or (outbox.state = 'delivered' and outbox.target <> 'session'))))
      order by task.ended_at
      limit :limit
      """;

  private final Jdbi jdbi;
  private final SessionStore sessions;
  private final CleanStep step;

  Cleanup(Jdbi jdbi, SessionStore sessions, CleanStep step) {
    this.jdbi = jdbi;
    this.sessions = sessions;
    this.step = step;
  }

  private record Due(TaskId task, SessionId child) {}

  @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void cleanDue() {
    due().forEach(this::clean);
  }

  /**
   * The child first: from then on it can delegate no more, and what is below it is all there is.
   */
  private void clean(Due due) {
    if (step.closeChild(due.child(), due.task())
        && sessions.subtree(due.child()).stream().allMatch(step::close)) {
      step.done(due.task());
      LOG.infof("Task %s is cleaned up: the transcript of %s is gone", due.task(), due.child());
    }
  }

  private List<Due> due() {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(DUE)
            .bind("limit", BATCH)
            .map((row, _) ->
                new Due(
                    new TaskId(row.getObject("id", UUID.class)),
                    new SessionId(row.getObject("session_id", UUID.class))))
            .list());
  }
}
