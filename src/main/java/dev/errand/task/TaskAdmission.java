package dev.errand.task;

import dev.errand.node.HintListener;
import dev.errand.node.Topic;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;

/**
 * Starts the tasks that wait without a job: held ones (R8) when a sibling has ended, those in line
 * for a child (D8) when it is free, put off ones (R5) when their time has come. Runs on every node
 * and knows nothing but the rows: with every hint lost it finds them once a second.
 */
@ApplicationScoped
public class TaskAdmission implements HintListener {

  private static final int BATCH = 50;

  private final DeferredTasks waiting;
  private final AdmitStep step;
  private final ChildQueue line;
  private final LineStep lineStep;

  TaskAdmission(DeferredTasks waiting, AdmitStep step, ChildQueue line, LineStep lineStep) {
    this.waiting = waiting;
    this.step = step;
    this.line = line;
    this.lineStep = lineStep;
  }

  @Override
  public Topic topic() {
    return Topic.ENDS;
  }

  @Override
  @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  public void hinted() {
    line.free(BATCH).forEach(lineStep::next);
    waiting.admissible(BATCH).forEach(step::admit);
    waiting.due(BATCH).forEach(step::tryAgain);
  }
}
