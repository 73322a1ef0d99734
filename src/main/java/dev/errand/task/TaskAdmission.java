package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.node.HintListener;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.node.Topic;
import dev.errand.postgres.AfterCommit;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.session.SessionHandover;
import dev.errand.session.SessionTransitions;
import dev.errand.session.TreeStore;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

/**
 * Starts tasks that are pending without a job: held ones when their parent has room and a slot is
 * free, and those whose next attempt is due. Runs on every node and reads only the rows: if every
 * hint is lost, it finds them within a second. Each step checks again under locks.
 */
@Singleton
public class TaskAdmission implements HintListener {

  private static final int BATCH = 50;

  private final DeferredTasks deferred;
  private final TaskStore tasks;
  private final SessionTransitions sessions;
  private final SessionHandover handover;
  private final FirstRuns firstRuns;
  private final TreeStore trees;
  private final IsolatedSteps steps;
  private final AfterCommit afterCommit;

  TaskAdmission(
      DeferredTasks deferred,
      TaskStore tasks,
      SessionTransitions sessions,
      SessionHandover handover,
      FirstRuns firstRuns,
      TreeStore trees,
      IsolatedSteps steps,
      AfterCommit afterCommit) {
    this.deferred = deferred;
    this.tasks = tasks;
    this.sessions = sessions;
    this.handover = handover;
    this.firstRuns = firstRuns;
    this.trees = trees;
    this.steps = steps;
    this.afterCommit = afterCommit;
  }

  void sweeps(@Observes StartupEvent start, Sweeps sweeps) {
    sweeps.add(Sweep.whenDue("Admission", DeferredTasks.SOME_DUE, this::hinted));
  }

  @Override
  public Topic topic() {
    return Topic.ROOM;
  }

  @Override
  public void hinted() {
    steps.forEachIsolated("admit", deferred.admissible(BATCH), this::admit);
    steps.forEachIsolated("retry", deferred.due(BATCH), this::retry);
  }

  /** Starts a held task if its parent still has room for it; without a slot it waits for one. */
  private void admit(SessionId child) {
    QuarkusTransaction.requiringNew()
        .run(() -> {
          if (sessions.tryLock(child).isEmpty()) {
            return;
          }
          tasks.lockLive(child).filter(this::hasRoom).ifPresent(this::begin);
        });
  }

  private void begin(Task task) {
    deferred
        .admit(task.id())
        .filter(tenant -> firstRuns.takeSlot(task.id(), tenant))
        .ifPresent(_ -> {
          handover.resume(task.child());
          afterCommit.run(() -> TaskLog.admitted(task));
        });
  }

  private boolean hasRoom(Task task) {
    return trees
        .lock(task.root())
        .map(tree ->
            deferred.siblings(task.parent(), task.id()).admitted()
                < tree.limits().maxBackgroundTasks())
        .orElse(false);
  }

  /** Starts the next attempt of a task if it is due. */
  private void retry(SessionId child) {
    QuarkusTransaction.requiringNew()
        .run(() -> {
          if (sessions.tryLock(child).isPresent() && deferred.retryNow(child)) {
            handover.resume(child);
          }
        });
  }
}
