package dev.errand.task;

import dev.errand.conversation.TaskId;
import dev.errand.node.HintListener;
import dev.errand.node.Topic;
import dev.errand.node.Waits;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;

/** Callers that wait for a task's end, on whatever node it comes. */
@ApplicationScoped
public class TaskWaits implements HintListener {

  private final Waits<TaskId> waits;

  TaskWaits(TaskStore tasks) {
    this.waits = new Waits<>(tasks::ended);
  }

  /** Blocks until the task has ended or {@code limit} has passed; holds no connection meanwhile. */
  public void awaitEnd(TaskId task, Duration limit) {
    try {
      waits.await(task, limit);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** How many callers wait now. */
  int waiting() {
    return waits.size();
  }

  @Override
  public Topic topic() {
    return Topic.ENDS;
  }

  @Override
  @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  public void hinted() {
    waits.check();
  }
}
