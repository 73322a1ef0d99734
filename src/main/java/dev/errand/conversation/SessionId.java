package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Optional;
import java.util.UUID;

/** The id of a session: a UUIDv7, written {@code ses_…} in the API. */
public record SessionId(UUID value) {

  private static final String PREFIX = "ses_";

  /** Creates an id; later ids sort after earlier ones. */
  public static SessionId next() {
    return new SessionId(Ids.next());
  }

  /** Parses the form of the API; empty if the text is not such an id. */
  public static Optional<SessionId> parse(String text) {
    return PublicId.read(PREFIX, text).map(SessionId::new);
  }

  @JsonValue
  @Override
  public String toString() {
    return PublicId.write(PREFIX, value);
  }
}
