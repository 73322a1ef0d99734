package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonValue;
import com.github.f4b6a3.uuid.UuidCreator;
import java.util.UUID;

/** Names one event: a UUIDv7, written {@code evt_…} outside. */
public record EventId(UUID value) {

  private static final String PREFIX = "evt_";

  /** A new id; ids made later sort later. */
  public static EventId next() {
    return new EventId(UuidCreator.getTimeOrderedEpoch());
  }

  @JsonValue
  @Override
  public String toString() {
    return PublicId.write(PREFIX, value);
  }
}
