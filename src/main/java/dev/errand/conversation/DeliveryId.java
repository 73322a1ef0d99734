package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Optional;
import java.util.UUID;

/** Names what one task owes its parent: a UUIDv7, written {@code dlv_…} outside. */
public record DeliveryId(UUID value) {

  private static final String PREFIX = "dlv_";

  /** Reads the outside form; empty when {@code text} is not a delivery's id. */
  public static Optional<DeliveryId> parse(String text) {
    return PublicId.read(PREFIX, text).map(DeliveryId::new);
  }

  @JsonValue
  @Override
  public String toString() {
    return PublicId.write(PREFIX, value);
  }
}
