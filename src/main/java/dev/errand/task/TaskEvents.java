package dev.errand.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.conversation.UsageTotals;
import dev.errand.event.EventContent;
import dev.errand.event.EventType;
import dev.errand.event.Events;
import dev.errand.event.NewEvent;
import dev.errand.hook.HookEvent;
import dev.errand.hook.HookEvents;
import dev.errand.outbox.CallbackEvent;
import dev.errand.outbox.CallbackPosts;
import dev.errand.session.Session;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The events of a task in its parent's stream: {@code subagent} events, {@code task.retrying}, and
 * {@code background_task} events for a background task. Recorded in the transaction that they
 * report, and posted to the callback of the task, except its end.
 */
@Singleton
class TaskEvents {

  private final Events events;
  private final CallbackPosts posts;
  private final HookEvents hooks;
  private final ObjectMapper mapper;
  private final Clock clock;

  TaskEvents(
      Events events, CallbackPosts posts, HookEvents hooks, ObjectMapper mapper, Clock clock) {
    this.events = events;
    this.posts = posts;
    this.hooks = hooks;
    this.mapper = mapper;
    this.clock = clock;
  }

  /**
   * @param parent the task's parent
   */
  void created(Task task, Session parent) {
    var data = TaskEvent.created(task, parent.origin());
    record(task, EventType.SUBAGENT_CREATED, data);
    tell(HookEvent.TASK_CREATED, task, data);
  }

  /**
   * Reports that the task started for the first time.
   *
   * @param origin of its parent
   */
  void started(Task task, @Nullable JsonNode origin) {
    var data = TaskEvent.started(task, origin);
    record(task, EventType.SUBAGENT_STARTED, data);
    if (task.background()) {
      record(task, EventType.BACKGROUND_TASK_STARTED, data);
    }
    if (task.callbackEvents().contains(CallbackEvent.STARTED)) {
      var type = task.background() ? EventType.BACKGROUND_TASK_STARTED : EventType.SUBAGENT_STARTED;
      var at = Objects.requireNonNull(task.startedAt());
      posts.started(task.id(), task.parent(), what(task, type, at, data));
    }
    tell(HookEvent.TASK_STARTED, task, data);
  }

  /**
   * An attempt failed, and another one follows.
   *
   * @param attempt the number of the failed attempt
   */
  private record Retry(
      TaskId taskId,
      SessionId sessionId,
      int attempt,
      Instant notBefore,
      TaskOutcome.Error error) {}

  /**
   * Reports that an attempt of the task failed, and that the next one begins at {@code notBefore}
   * or later.
   */
  void retrying(Task task, Instant notBefore, TaskOutcome.Error error) {
    var data = new Retry(task.id(), task.child(), task.attempts(), notBefore, error);
    events.record(new NewEvent(task.parent(), EventType.TASK_RETRYING, task.id(), data));
  }

  /**
   * Reports the progress of a background task.
   *
   * @param origin of the parent
   */
  void progressed(
      Task task, UsageTotals soFar, @Nullable String lastTool, @Nullable JsonNode origin) {
    var data = TaskEvent.progressed(task, soFar, lastTool, origin);
    record(task, EventType.BACKGROUND_TASK_PROGRESS, data);
    if (task.callbackEvents().contains(CallbackEvent.PROGRESS)) {
      var event = what(task, EventType.BACKGROUND_TASK_PROGRESS, clock.instant(), data);
      posts.progressed(task.id(), task.parent(), event);
    }
  }

  /**
   * @param task as read after its end
   * @param origin of the parent
   */
  void ended(Task task, @Nullable JsonNode origin) {
    var data = TaskEvent.ended(task, origin);
    var completed = task.state() == TaskState.COMPLETED;
    record(task, completed ? EventType.SUBAGENT_COMPLETED : EventType.SUBAGENT_FAILED, data);
    if (task.background()) {
      record(task, endOfBackground(task.state()), data);
    }
    if (task.callbackEvents().contains(CallbackEvent.ENDED)) {
      posts.ended(task.id(), task.parent());
    }
    tell(HookEvent.TASK_ENDED, task, data);
  }

  /** Returns the event for the callback of the task. */
  private EventContent what(Task task, EventType type, Instant at, TaskEvent data) {
    return new EventContent(type.word(), task.id().toString(), at, mapper.valueToTree(data));
  }

  private static EventType endOfBackground(TaskState state) {
    return switch (state) {
      case COMPLETED -> EventType.BACKGROUND_TASK_COMPLETED;
      case CANCELLED -> EventType.BACKGROUND_TASK_CANCELLED;
      case FAILED, TIMED_OUT -> EventType.BACKGROUND_TASK_FAILED;
      case PENDING, RUNNING -> throw new IllegalArgumentException("the task has not ended");
    };
  }

  private void tell(HookEvent event, Task task, TaskEvent data) {
    hooks.ofTask(
        event,
        new HookEvents.Subject(task.id(), task.child(), task.parent(), task.subagentType()),
        data);
  }

  private void record(Task task, EventType type, TaskEvent data) {
    events.record(new NewEvent(task.parent(), type, task.id(), data));
  }
}
