package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Optional;
import java.util.UUID;

/** The id of a message: a UUIDv7, written {@code msg_…} in the API. */
public record MessageId(UUID value) {

  private static final String PREFIX = "msg_";

  /** Creates an id; later ids sort after earlier ones. */
  public static MessageId next() {
    return new MessageId(Ids.next());
  }

  /** Parses the form of the API; empty if the text is not such an id. */
  public static Optional<MessageId> parse(String text) {
    return PublicId.read(PREFIX, text).map(MessageId::new);
  }

  @JsonValue
  @Override
  public String toString() {
    return PublicId.write(PREFIX, value);
  }
}
