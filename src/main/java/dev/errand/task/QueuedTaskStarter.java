package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.postgres.AfterCommit;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.session.SessionLocks;
import dev.errand.session.SessionStore;
import io.quarkus.narayana.jta.QuarkusTransaction;
import jakarta.inject.Singleton;

/**
 * Gives children that are free again to the first task in their queue, on every node. Checks again
 * under locks.
 */
@Singleton
public class QueuedTaskStarter {

  private static final int BATCH = 50;

  private static final TaskOutcome.Error CLOSED =
      new TaskOutcome.Error(
          "session_closed", "the child session was closed before the task could start");

  private final ChildQueue queue;
  private final SessionLocks locks;
  private final SessionStore sessions;
  private final FirstRuns firstRuns;
  private final TaskStore tasks;
  private final Siblings siblings;
  private final TaskCompletion completion;
  private final IsolatedSteps steps;
  private final AfterCommit afterCommit;

  QueuedTaskStarter(
      ChildQueue queue,
      SessionLocks locks,
      SessionStore sessions,
      FirstRuns firstRuns,
      TaskStore tasks,
      Siblings siblings,
      TaskCompletion completion,
      IsolatedSteps steps,
      AfterCommit afterCommit) {
    this.queue = queue;
    this.locks = locks;
    this.sessions = sessions;
    this.firstRuns = firstRuns;
    this.tasks = tasks;
    this.siblings = siblings;
    this.completion = completion;
    this.steps = steps;
    this.afterCommit = afterCommit;
  }

  /** Starts those that can start now. */
  public void look() {
    steps.forEachIsolated("start_queued", queue.free(BATCH), this::startFirst);
  }

  private void startFirst(SessionId child) {
    QuarkusTransaction.requiringNew()
        .run(() -> {
          if (locks.tryLockAtRest(child) && tasks.lockLive(child).isEmpty()) {
            queue.takeFirst(child).ifPresent(this::start);
          }
        });
  }

  private void start(TaskId first) {
    var task = tasks.find(first).orElseThrow();
    sessions.adjust(task.child(), task.model(), task.maxTurns(), task.generation());
    switch (firstRuns.continueWith(task, !siblings.haveRoomFor(task))) {
      case GIVEN -> afterCommit.run(() -> TaskLog.dequeued(task));
      case NOT_IDLE -> completion.end(task, TaskOutcome.failed(CLOSED, ""), ParentNotice.SEND);
    }
  }
}
