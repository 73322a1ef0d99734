package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.postgres.AfterCommit;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.session.WaitReason;
import dev.errand.session.Waits;
import io.quarkus.narayana.jta.QuarkusTransaction;
import jakarta.inject.Singleton;
import java.util.Set;

/**
 * Starts tasks that wait for their parent's limit when it has room and a slot is free. Runs on
 * every node and reads only the rows: if every hint is lost, it finds them within a second. Each
 * step checks again under locks.
 */
@Singleton
public class LimitAdmission {

  private static final int BATCH = 50;
  private static final Set<WaitReason> FOR_LIMIT = Set.of(WaitReason.LIMIT);

  private final Siblings siblings;
  private final TaskStore tasks;
  private final Waits waits;
  private final FirstRuns firstRuns;
  private final IsolatedSteps steps;
  private final AfterCommit afterCommit;

  LimitAdmission(
      Siblings siblings,
      TaskStore tasks,
      Waits waits,
      FirstRuns firstRuns,
      IsolatedSteps steps,
      AfterCommit afterCommit) {
    this.siblings = siblings;
    this.tasks = tasks;
    this.waits = waits;
    this.firstRuns = firstRuns;
    this.steps = steps;
    this.afterCommit = afterCommit;
  }

  /** Starts those that have room now. */
  public void look() {
    steps.forEachIsolated("admit", siblings.admissible(BATCH), this::admit);
  }

  /** Starts a waiting task if its parent still has room for it; without a slot it waits for one. */
  private void admit(SessionId child) {
    QuarkusTransaction.requiringNew()
        .run(() -> {
          if (waits.lock(child, FOR_LIMIT)) {
            tasks.lockLive(child).filter(siblings::haveRoomFor).ifPresent(this::begin);
          }
        });
  }

  private void begin(Task task) {
    if (firstRuns.takeSlot(task)) {
      waits.leave(task.child(), FOR_LIMIT);
      afterCommit.run(() -> TaskLog.admitted(task));
    }
  }
}
