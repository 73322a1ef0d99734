package dev.errand.outbox;

import dev.errand.conversation.Word;

/** The state of a delivery. */
public enum DeliveryState implements Word {
  /** Not delivered yet; due now or later. */
  PENDING,
  DELIVERED,
  /** The parent read the result itself. */
  CONSUMED,
  /** Not needed any more, or dismissed by an operator. */
  SUPPRESSED,
  /** Not deliverable; an operator retries or dismisses it. */
  DEAD
}
