package dev.errand.task;

import dev.errand.node.HintListener;
import dev.errand.node.Topic;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;

/**
 * Starts the tasks that wait without a job: held ones (R8) when a sibling has ended, put off ones
 * (R5) when their time has come. Runs on every node and knows nothing but the rows: with every hint
 * lost it finds them once a second.
 */
@ApplicationScoped
public class Admission implements HintListener {

  private static final int BATCH = 50;

  private final WaitingTasks waiting;
  private final AdmitStep step;

  Admission(WaitingTasks waiting, AdmitStep step) {
    this.waiting = waiting;
    this.step = step;
  }

  @Override
  public Topic topic() {
    return Topic.ENDS;
  }

  @Override
  @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  public void hinted() {
    waiting.admissible(BATCH).forEach(step::admit);
    waiting.due(BATCH).forEach(step::tryAgain);
  }
}
