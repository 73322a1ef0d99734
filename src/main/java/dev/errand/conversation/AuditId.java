package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Optional;
import java.util.UUID;

/** The id of a row of the audit: a UUIDv7, written {@code aud_…} in the API. */
public record AuditId(UUID value) {

  private static final String PREFIX = "aud_";

  /** Parses the form of the API; empty if the text is not such an id. */
  public static Optional<AuditId> parse(String text) {
    return PublicId.read(PREFIX, text).map(AuditId::new);
  }

  @JsonValue
  @Override
  public String toString() {
    return PublicId.write(PREFIX, value);
  }
}
