package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.conversation.Usage.UsageTotals;
import dev.errand.outbox.Callback.CallbackEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a task to be inserted; its {@link TaskSpec} says what it does.
 *
 * @param tenant of the parent
 * @param queued whether it is queued for the child, which works on another task
 * @param parentCall the parent's tool call that makes the task; null when a client submits it
 * @param generation of the turn that delegates; 0 when a client does
 * @param callbackEvents what is posted to the callback of the task; empty without one
 * @param holdNoticeFor for how long the notice is held back because the caller waits for the result
 */
record NewTask(
    TaskId id,
    String tenant,
    SessionId parent,
    SessionId root,
    SessionId child,
    boolean queued,
    @Nullable String parentCall,
    int generation,
    Set<CallbackEvent> callbackEvents,
    Duration holdNoticeFor) {

  List<String> callbackWords() {
    return callbackEvents.stream().map(CallbackEvent::word).toList();
  }

  /** The task after its insertion. */
  Task pending(TaskSpec spec, Instant createdAt) {
    return new Task(
        id,
        tenant,
        spec.kind(),
        parent,
        root,
        child,
        parentCall,
        spec.subagentType(),
        spec.description(),
        spec.prompt(),
        spec.label(),
        spec.background(),
        generation,
        spec.priority(),
        callbackEvents,
        spec.isolation(),
        spec.model(),
        spec.maxTurns(),
        spec.timeoutMs(),
        TaskState.PENDING,
        0,
        UsageTotals.NONE,
        createdAt,
        null,
        Optional.empty(),
        null,
        Optional.empty(),
        false,
        spec.thoroughness(),
        spec.notes(),
        null);
  }
}
