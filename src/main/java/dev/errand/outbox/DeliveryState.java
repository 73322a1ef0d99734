package dev.errand.outbox;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** The state of a delivery. */
public enum DeliveryState {
  /** Not delivered yet; due now or later. */
  PENDING,
  DELIVERED,
  /** The parent read the result itself. */
  CONSUMED,
  /** Not needed any more, or dismissed by an operator. */
  SUPPRESSED,
  /** Not deliverable; an operator retries or dismisses it. */
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
