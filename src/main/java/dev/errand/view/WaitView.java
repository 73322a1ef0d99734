package dev.errand.view;

import dev.errand.conversation.Word;
import dev.errand.session.WaitReason;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The wait of a session, or of a task, that uses no worker.
 *
 * @param since when it began to wait for this reason
 * @param until when it continues or looks again; null when something else ends the wait
 * @param message a sentence for people
 */
public record WaitView(WaitReason reason, Instant since, @Nullable Instant until, String message) {

  /**
   * Returns the view of a wait; null for a reason that is null or that only a newer version of the
   * service knows.
   */
  static @Nullable WaitView of(
      @Nullable String reason, @Nullable Instant since, @Nullable Instant until) {
    return reason == null || since == null
        ? null
        : Word.find(WaitReason.class, reason)
            .map(known -> new WaitView(known, since, until, known.sentence()))
            .orElse(null);
  }
}
