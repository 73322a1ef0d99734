package dev.errand.task.notice;

import dev.errand.agent.Isolation;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.conversation.UsageTotals;
import dev.errand.task.Task;
import dev.errand.task.TaskKind;
import dev.errand.task.TaskOutcome;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tasks for the tests of notices. */
final class NoticeTasks {

  static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private NoticeTasks() {}

  /** A task that ended 1.5 s after its start. */
  static Task ended(
      TaskKind kind,
      String agent,
      String description,
      @Nullable String label,
      TaskOutcome outcome) {
    return new Task(
        TaskId.next(),
        "default",
        kind,
        SessionId.next(),
        SessionId.next(),
        SessionId.next(),
        null,
        agent,
        description,
        "prompt",
        label,
        true,
        0,
        0,
        Set.of(),
        Isolation.SHARED,
        "offline:planner",
        15,
        300_000,
        outcome.state(),
        1,
        UsageTotals.NONE,
        START,
        START,
        Optional.of(outcome),
        START.plusMillis(1500),
        Optional.empty(),
        false,
        null,
        List.of(),
        null,
        null);
  }
}
