package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.UUID;

/** The id of an event: a UUIDv7, written {@code evt_…} in the API. */
public record EventId(UUID value) {

  private static final String PREFIX = "evt_";

  /** Creates an id; later ids sort after earlier ones. */
  public static EventId next() {
    return new EventId(Ids.next());
  }

  @JsonValue
  @Override
  public String toString() {
    return PublicId.write(PREFIX, value);
  }
}
