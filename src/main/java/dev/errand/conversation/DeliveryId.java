package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Optional;
import java.util.UUID;

/**
 * The id of the delivery of one task result to its parent: a UUIDv7, written {@code dlv_…} in the
 * API.
 */
public record DeliveryId(UUID value) {

  private static final String PREFIX = "dlv_";

  /** Parses the form of the API; empty if the text is not such an id. */
  public static Optional<DeliveryId> parse(String text) {
    return PublicId.read(PREFIX, text).map(DeliveryId::new);
  }

  @JsonValue
  @Override
  public String toString() {
    return PublicId.write(PREFIX, value);
  }
}
