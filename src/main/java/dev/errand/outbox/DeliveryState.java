package dev.errand.outbox;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How a delivery fares (C6). */
public enum DeliveryState {
  /** Not there yet; due now or later. */
  PENDING,
  DELIVERED,
  /** The parent read the result itself. */
  CONSUMED,
  /** Nobody waits for it any more, or an operator dismissed it. */
  SUPPRESSED,
  /** It could not be delivered; an operator retries or dismisses it. */
  DEAD;

  /** The word in the database and in JSON. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static DeliveryState of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
