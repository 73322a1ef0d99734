package dev.errand.run;

import dev.errand.node.HintListener;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.node.Topic;
import dev.errand.pause.Pauses;
import dev.errand.session.WaitReason;
import dev.errand.session.Waits;
import dev.errand.task.BelowWaits;
import dev.errand.task.ChildQueue;
import dev.errand.task.LimitAdmission;
import dev.errand.task.QueuedTaskStarter;
import dev.errand.task.Retries;
import dev.errand.task.SlotAdmission;
import dev.errand.task.StoppedClocks;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.EnumSet;
import java.util.Set;

/**
 * Ends waits that are over, on every node: it looks once a second, reason by reason, and at once
 * after a hint. Each look reads only the rows and checks again under locks, so that it does not
 * matter how many nodes look, or whether a hint is lost.
 */
@Singleton
class WaitSweep implements HintListener {

  /** Those that the end of a task or of a run may end. */
  private static final Set<WaitReason> HINTED =
      EnumSet.of(WaitReason.CHILD, WaitReason.LIMIT, WaitReason.SLOT);

  private final LimitAdmission limits;
  private final SlotAdmission slots;
  private final QueuedTaskStarter queued;
  private final Retries retries;
  private final ModelAdmission models;
  private final Suspensions suspensions;
  private final BelowWaits below;
  private final Pauses pauses;

  WaitSweep(
      LimitAdmission limits,
      SlotAdmission slots,
      QueuedTaskStarter queued,
      Retries retries,
      ModelAdmission models,
      Suspensions suspensions,
      BelowWaits below,
      Pauses pauses) {
    this.limits = limits;
    this.slots = slots;
    this.queued = queued;
    this.retries = retries;
    this.models = models;
    this.suspensions = suspensions;
    this.below = below;
    this.pauses = pauses;
  }

  void sweeps(@Observes StartupEvent start, Sweeps sweeps) {
    add(sweeps, WaitReason.LIMIT, Waits.SOME_FOR_LIMIT);
    add(sweeps, WaitReason.SLOT, Waits.SOME_FOR_SLOT);
    add(sweeps, WaitReason.CHILD, ChildQueue.SOME_WAIT);
    add(sweeps, WaitReason.RETRY, Waits.SOME_RETRY_DUE);
    add(sweeps, WaitReason.MODEL, Waits.SOME_CALL_DUE);
    add(sweeps, WaitReason.BELOW, Waits.SOME_FOR_BELOW);
    sweeps.add(
        sweep(WaitReason.PAUSE, Pauses.SOME)
            .orWhenDue(Waits.SOME_SUSPENDED)
            .orWhenDue(StoppedClocks.SOME_STOPPED)
            .orWhenWanted(() -> !pauses.inForce().isEmpty()));
  }

  private void add(Sweeps sweeps, WaitReason reason, String due) {
    sweeps.add(sweep(reason, due));
  }

  private Sweep sweep(WaitReason reason, String due) {
    return Sweep.whenDue("Waits: " + reason.word(), due, () -> look(reason));
  }

  @Override
  public Topic topic() {
    return Topic.WAITS;
  }

  @Override
  public void hinted() {
    HINTED.forEach(this::look);
  }

  /** The last answer itself ends the wait for answers. */
  private void look(WaitReason reason) {
    switch (reason) {
      case LIMIT -> limits.look();
      case SLOT -> slots.look();
      case CHILD -> queued.look();
      case RETRY -> retries.look();
      case MODEL, MEMORY -> models.look();
      case PAUSE, QUOTA -> suspensions.look();
      case BELOW -> below.look();
      case ANSWER -> throw new IllegalStateException("nothing looks for answers");
    }
  }
}
