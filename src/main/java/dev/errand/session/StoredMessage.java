package dev.errand.session;

import dev.errand.conversation.Covered;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.Usage;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A message in its place in the transcript; {@code seq} counts from 1 without gaps.
 *
 * @param usage of the model call that made it
 * @param covers the messages that it stands for; null unless it is a summary
 */
public record StoredMessage(
    MessageId id,
    long seq,
    Message message,
    Usage usage,
    @Nullable Covered covers,
    Instant createdAt) {

  /** The same message with another content. */
  public StoredMessage with(Message other) {
    return new StoredMessage(id, seq, other, usage, covers, createdAt);
  }
}
