package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonValue;
import com.github.f4b6a3.uuid.UuidCreator;
import java.util.Optional;
import java.util.UUID;

/** Names one message: a UUIDv7, written {@code msg_…} outside. */
public record MessageId(UUID value) {

  private static final String PREFIX = "msg_";

  /** A new id; ids made later sort later. */
  public static MessageId next() {
    return new MessageId(UuidCreator.getTimeOrderedEpoch());
  }

  /** Reads the outside form; empty when {@code text} is not a message id. */
  public static Optional<MessageId> parse(String text) {
    return PublicId.read(PREFIX, text).map(MessageId::new);
  }

  @JsonValue
  @Override
  public String toString() {
    return PublicId.write(PREFIX, value);
  }
}
