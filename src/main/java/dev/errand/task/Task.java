package dev.errand.task;

import dev.errand.agent.Isolation;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.conversation.UsageTotals;
import dev.errand.outbox.CallbackEvent;
import dev.errand.outbox.DeliveryState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A task as read from the database.
 *
 * @param parent the session that gets the result
 * @param root the root of the parent's tree
 * @param child the session that works on the task; while the task is queued for a busy child, that
 *     child
 * @param parentCall the parent's tool call that made the task, in its written form; null when a
 *     client submitted it
 * @param label the caller's short name for the task
 * @param generation of the turn that delegated it; 0 when a client did
 * @param priority among tasks that wait; a higher one starts first
 * @param callbackEvents what is posted to the callback of the task; empty without one
 * @param isolation where the child works
 * @param timeoutMs milliseconds from the first start
 * @param usage what all runs of the task used
 * @param outcome how the task ended; empty while it is live
 * @param endedAt null while the task is live
 * @param delivery the state of the result's delivery to the parent; empty while the task is live
 * @param redacted whether its words were deleted after the delivery
 * @param thoroughness how far the agent {@code explore} goes; null when not given
 * @param notes sentences of the service about the task, for its caller
 * @param changes what it changed in its own workspace; null while it is live, and when it has none
 * @param progress written at most once a second; null before the first turn
 */
public record Task(
    TaskId id,
    String tenant,
    TaskKind kind,
    SessionId parent,
    SessionId root,
    SessionId child,
    @Nullable String parentCall,
    String subagentType,
    String description,
    String prompt,
    @Nullable String label,
    boolean background,
    int generation,
    int priority,
    Set<CallbackEvent> callbackEvents,
    Isolation isolation,
    String model,
    int maxTurns,
    long timeoutMs,
    TaskState state,
    int attempts,
    UsageTotals usage,
    Instant createdAt,
    @Nullable Instant startedAt,
    Optional<TaskOutcome> outcome,
    @Nullable Instant endedAt,
    Optional<DeliveryState> delivery,
    boolean redacted,
    @Nullable Thoroughness thoroughness,
    List<String> notes,
    @Nullable TaskChanges changes,
    @Nullable Progress progress) {

  /**
   * The progress of a task.
   *
   * @param line {@code turn 3 · grep · 41 s}: the turn of its child, the tool that was started
   *     last, the time since its start
   */
  public record Progress(String line, Instant at) {}

  /** Returns how an ended task ended. */
  public TaskOutcome end() {
    return outcome.orElseThrow();
  }

  /** Returns whether its result is the answer to a tool call of its parent, which waits for it. */
  public boolean answersCall() {
    return parentCall != null && !background;
  }

  /** Returns the notes of the task and of its changes. */
  public List<String> allNotes() {
    return changes == null
        ? notes
        : Stream.concat(notes.stream(), changes.notes().stream()).distinct().toList();
  }

  /**
   * Milliseconds from the start – from the creation when the task never started – to the end; 0
   * while the task is live.
   */
  public long runMs() {
    var from = startedAt == null ? createdAt : startedAt;
    return endedAt == null ? 0 : endedAt.toEpochMilli() - from.toEpochMilli();
  }
}
