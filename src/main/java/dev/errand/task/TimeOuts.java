package dev.errand.task;

import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.task.SessionStopper.Stop;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

/** Ends the tasks that have timed out, on every node, whether or not their workers are alive. */
@Singleton
class TimeOuts {

  private static final int BATCH = 100;
  private static final String TIMED_OUT = "Not done: the task timed out.";

  private final OverdueTasks overdue;
  private final Deadlines deadlines;
  private final TaskStopper stopper;
  private final TaskCompletion completion;
  private final IsolatedSteps steps;

  TimeOuts(
      OverdueTasks overdue,
      Deadlines deadlines,
      TaskStopper stopper,
      TaskCompletion completion,
      IsolatedSteps steps) {
    this.overdue = overdue;
    this.deadlines = deadlines;
    this.stopper = stopper;
    this.completion = completion;
    this.steps = steps;
  }

  void atStart(@Observes StartupEvent start, Sweeps sweeps) {
    deadlines.whenDue(this::look);
    sweeps.add(Sweep.whenDue("Time-outs", OverdueTasks.SOME, this::look));
  }

  private void look() {
    steps.forEachIsolated("time_out", overdue.find(BATCH), this::end);
  }

  private void end(OverdueTasks.OverdueTask late) {
    stopper.timeOut(late, new Stop(TIMED_OUT, this::outcome, ParentNotice.SEND));
  }

  private TaskOutcome outcome(Task task) {
    return TaskOutcome.timedOut(
        task.timeoutMs(), overdue.problem(task), completion.saidSoFar(task));
  }
}
