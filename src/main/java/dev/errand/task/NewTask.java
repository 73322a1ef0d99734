package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.outbox.CallbackEvent;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a task to be inserted; its {@link TaskSpec} says what it does.
 *
 * @param parentCall the parent's tool call that makes the task; null when a client submits it
 * @param generation of the turn that delegates; 0 when a client does
 * @param callbackEvents what is posted to the callback of the task; empty without one
 * @param holdNoticeFor for how long the notice is held back because the caller waits for the result
 */
record NewTask(
    TaskId id,
    SessionId parent,
    SessionId root,
    SessionId child,
    @Nullable String parentCall,
    int generation,
    Set<CallbackEvent> callbackEvents,
    Duration holdNoticeFor) {

  List<String> callbackWords() {
    return callbackEvents.stream().map(CallbackEvent::word).toList();
  }
}
