package dev.errand.task;

import java.util.HashMap;
import java.util.Map;
import org.jboss.logging.Logger;
import org.jboss.logging.MDC;
import org.jspecify.annotations.Nullable;

/**
 * The log lines of a task's life. Each has the ids of the task and its session, and the number of
 * the attempt, as fields, also when no run of the session writes it.
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

  static void started(Task task) {
    with(task, () -> LOG.infof("Task %s starts, attempt %d", task.id(), task.attempts()));
  }

  static void ended(Task task, TaskOutcome outcome) {
    with(
        task,
        () ->
            LOG.infof(
                "Task %s ends %s (%s)",
                task.id(), outcome.state().word(), outcome.stopReason().word()));
  }

  /** Writes a line with the fields of a task, and restores those of the thread. */
  private static void with(Task task, Runnable line) {
    var fields = new HashMap<String, @Nullable Object>();
    fields.put("task", task.id().toString());
    fields.put("session", task.child().toString());
    fields.put("attempt", task.attempts() == 0 ? null : task.attempts());
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
