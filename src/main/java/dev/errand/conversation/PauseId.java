package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Optional;
import java.util.UUID;

/** The id of a pause: a UUIDv7, written {@code pau_…} in the API. */
public record PauseId(UUID value) {

  private static final String PREFIX = "pau_";

  /** Creates an id; later ids sort after earlier ones. */
  public static PauseId next() {
    return new PauseId(Ids.next());
  }

  /** Returns whether its pause is older. */
  public boolean isBefore(PauseId other) {
    return toString().compareTo(other.toString()) < 0;
  }

  /** Parses the form of the API; empty if the text is not such an id. */
  public static Optional<PauseId> parse(String text) {
    return PublicId.read(PREFIX, text).map(PauseId::new);
  }

  @JsonValue
  @Override
  public String toString() {
    return PublicId.write(PREFIX, value);
  }
}
