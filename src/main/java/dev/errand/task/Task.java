package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A task as it stands. */
public record Task(
    TaskId id,
    Kin kin,
    Assignment assignment,
    Progress progress,
    Optional<Ended> ended,
    Optional<Delivery> delivery) {

  /**
   * The sessions it connects.
   *
   * @param parentCall the parent's tool call that made it, in its written form; null when it came
   *     from outside
   */
  public record Kin(
      SessionId parent, SessionId root, SessionId child, @Nullable String parentCall) {}

  /** What was asked for, with every default filled in. */
  public record Assignment(
      String subagentType,
      String description,
      String prompt,
      Words words,
      Manner manner,
      Bounds bounds) {}

  /** What the caller calls it, and what made it do so. */
  public record Words(@Nullable String label, @Nullable String command, TaskKind kind) {

    public Words(@Nullable String label, @Nullable String command) {
      this(label, command, TaskKind.TASK);
    }
  }

  /** How it is to be done. */
  public record Manner(boolean background, String cleanup, int priority) {}

  /** Within what. */
  public record Bounds(String model, int maxTurns, long timeoutMs) {}

  /** How far it got. */
  public record Progress(
      TaskState state,
      int attempts,
      int takeovers,
      Spent spent,
      Instant createdAt,
      @Nullable Instant startedAt) {}

  /** What its runs used. */
  public record Spent(long inputTokens, long outputTokens, long turns, long toolCalls) {}

  /** Its end. */
  public record Ended(TaskOutcome ending, Instant endedAt) {}

  /** How its notice fares (C6). */
  public record Delivery(
      String state,
      int attempts,
      @Nullable Instant deliveredAt,
      @Nullable Instant consumedAt,
      @Nullable String lastError) {}

  /**
   * Milliseconds from its start – from its creation when it never started – to its end; 0 while it
   * is live.
   */
  public long runMs() {
    var from = progress.startedAt() == null ? progress.createdAt() : progress.startedAt();
    return ended.map(end -> end.endedAt().toEpochMilli() - from.toEpochMilli()).orElse(0L);
  }
}
