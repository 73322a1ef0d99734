package dev.errand.session;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An entry that was not read yet.
 *
 * @param outbox the outbox row that it comes from; null for a user's message
 * @param generation of the task that a notice reports
 * @param trace the trace that it belongs to; null when it was not traced
 */
record UnreadEntry(
    UUID id, @Nullable UUID outbox, int generation, @Nullable String trace, InboxEntry entry) {

  boolean isAnswer() {
    return entry instanceof InboxEntry.ToolAnswer;
  }

  /** Returns the end of the task whose result it is; empty for a user's message. */
  Optional<Instant> taskEndedAt() {
    return switch (entry) {
      case InboxEntry.ToolAnswer answer -> Optional.of(answer.taskEndedAt());
      case InboxEntry.Notice notice -> Optional.of(notice.taskEndedAt());
      case InboxEntry.UserMessage _ -> Optional.empty();
    };
  }
}
