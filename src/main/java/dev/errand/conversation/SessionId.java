package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonValue;
import com.github.f4b6a3.uuid.UuidCreator;
import java.util.Optional;
import java.util.UUID;

/** Names one session: a UUIDv7, written {@code ses_…} outside. */
public record SessionId(UUID value) {

  private static final String PREFIX = "ses_";

  /** A new id; ids made later sort later. */
  public static SessionId next() {
    return new SessionId(UuidCreator.getTimeOrderedEpoch());
  }

  /** Reads the outside form; empty when {@code text} is not a session id. */
  public static Optional<SessionId> parse(String text) {
    return PublicId.read(PREFIX, text).map(SessionId::new);
  }

  @JsonValue
  @Override
  public String toString() {
    return PublicId.write(PREFIX, value);
  }
}
