package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import java.util.HashMap;
import java.util.Map;
import org.jboss.logging.Logger;
import org.jboss.logging.MDC;
import org.jspecify.annotations.Nullable;

/**
 * The log lines of a task's life: its creation and its end at INFO, what is between them at DEBUG.
 * Each has the ids of the task and its session, and the number of the attempt, as fields, also when
 * no run of the session writes it.
 */
final class TaskLog {

  private static final Logger LOG = Logger.getLogger(TaskLog.class);

  private TaskLog() {}

  static void accepted(Task task) {
    with(
        task,
        () ->
            LOG.infof(
                "Task %s accepted: %s for %s, child %s",
                task.id(), task.subagentType(), task.parent(), task.child()));
  }

  /** Logs that a waiting task may begin: its parent has room for it, and there is a slot. */
  static void admitted(Task task) {
    with(task, () -> LOG.debugf("Task %s is admitted", task.id()));
  }

  /** Logs that a queued task leaves the queue of its child, which is free again. */
  static void dequeued(Task task) {
    with(task, () -> LOG.debugf("Task %s leaves the queue of %s", task.id(), task.child()));
  }

  /** Logs that a task that waited for a slot may begin. It has no attempt yet. */
  static void gotSlot(SlotQueue.WaitingTask task) {
    with(task.id(), task.child(), 0, () -> LOG.debugf("Task %s gets a slot", task.id()));
  }

  static void started(Task task) {
    with(task, () -> LOG.debugf("Task %s starts, attempt %d", task.id(), task.attempts()));
  }

  static void ended(Task task, TaskOutcome outcome) {
    with(
        task,
        () ->
            LOG.infof(
                "Task %s ends %s (%s)",
                task.id(), outcome.state().word(), outcome.stopReason().word()));
  }

  private static void with(Task task, Runnable line) {
    with(task.id(), task.child(), task.attempts(), line);
  }

  /** Writes a line with the fields of a task, and restores those of the thread. */
  private static void with(TaskId task, SessionId child, int attempts, Runnable line) {
    var fields = new HashMap<String, @Nullable Object>();
    fields.put("task", task.toString());
    fields.put("session", child.toString());
    fields.put("attempt", attempts == 0 ? null : attempts);
    var before = new HashMap<String, @Nullable Object>();
    fields.keySet().forEach(name -> before.put(name, MDC.get(name)));
    set(fields);
    try {
      line.run();
    } finally {
      set(before);
    }
  }

  private static void set(Map<String, @Nullable Object> fields) {
    fields.forEach((name, value) -> {
      if (value == null) {
        MDC.remove(name);
      } else {
        MDC.put(name, value);
      }
    });
  }
}
