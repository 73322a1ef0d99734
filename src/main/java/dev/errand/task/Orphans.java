package dev.errand.task;

import dev.errand.node.HintListener;
import dev.errand.node.Topic;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;

/**
 * Looks after tasks below children, on every node: cancels those that a child left behind when its
 * own task ended early, and ends a held task for which nothing is left to wait for.
 */
@ApplicationScoped
class Orphans implements HintListener {

  private static final int BATCH = 100;

  private final NestedTasks nested;
  private final OrphanStep step;

  Orphans(NestedTasks nested, OrphanStep step) {
    this.nested = nested;
    this.step = step;
  }

  @Override
  public Topic topic() {
    return Topic.ORPHANS;
  }

  /** Level by level: who is cancelled here leaves orphans too. */
  @Override
  @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  public void hinted() {
    nested.heldForNothing(BATCH).forEach(step::endHeld);
    boolean cancelled;
    do {
      cancelled = false;
      for (var orphan : nested.orphans(BATCH)) {
        cancelled |= step.cancel(orphan);
      }
    } while (cancelled);
  }
}
