package dev.errand.task;

import dev.errand.conversation.TaskId;
import dev.errand.node.HintListener;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.node.Topic;
import dev.errand.node.Waiters;
import dev.errand.session.Lease;
import dev.errand.session.LiveSessions;
import io.quarkus.runtime.ShutdownDelayInitiatedEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Callers that wait for a task's end, which may happen on any node. */
@Singleton
public class TaskWaiters implements HintListener {

  private final Waiters<Awaited> waits;
  private final TaskStore tasks;
  private final LiveSessions sessions;

  TaskWaiters(TaskStore tasks, LiveSessions sessions) {
    this.tasks = tasks;
    this.sessions = sessions;
    this.waits = new Waiters<>(this::over);
  }

  /**
   * The end that a caller waits for.
   *
   * @param by the run that waits; its wait ends when it loses its session. Null when the caller is
   *     no run
   */
  private record Awaited(TaskId task, @Nullable Lease by) {}

  /**
   * Blocks until the task has ended or {@code limit} has passed. Uses no connection while it waits.
   *
   * @return false if it has not ended within {@code limit}, or this node stops
   */
  public boolean awaitEnd(TaskId task, Duration limit) {
    return await(new Awaited(task, null), limit);
  }

  /** Waits for the end of the task; the wait ends early when the waiting run loses its session. */
  public void awaitEnd(TaskId task, Lease by, Duration limit) {
    await(new Awaited(task, by), limit);
  }

  private boolean await(Awaited awaited, Duration limit) {
    try {
      return waits.await(awaited, limit);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  void stop(@Observes ShutdownDelayInitiatedEvent stop) {
    waits.close();
  }

  private Set<Awaited> over(Set<Awaited> all) {
    var ended = tasks.ended(all.stream().map(Awaited::task).collect(Collectors.toSet()));
    var lost =
        sessions.lost(
            all.stream().map(Awaited::by).filter(Objects::nonNull).collect(Collectors.toSet()));
    return all.stream()
        .filter(one -> ended.contains(one.task()) || (one.by() != null && lost.contains(one.by())))
        .collect(Collectors.toSet());
  }

  /** Returns the number of waiting callers. */
  int waiting() {
    return waits.size();
  }

  void sweeps(@Observes StartupEvent start, Sweeps sweeps) {
    sweeps.add(Sweep.whenWanted("Callers that wait for tasks", waits::isAwaited, this::hinted));
  }

  @Override
  public Topic topic() {
    return Topic.ENDS;
  }

  @Override
  public void hinted() {
    waits.check();
  }
}
