package dev.errand.delivery;

import dev.errand.outbox.Delivery;

/**
 * Where outbox rows go.
 *
 * <p>Contract: {@link #deliver} is called in the transaction that marks the row delivered; it joins
 * it. Delivering a row a second time changes nothing and is no error. An exception counts as a
 * failed attempt and is tried again later.
 */
public interface OutboxTarget {

  /** The word in the row's {@code target} column. */
  String name();

  /**
   * @return false when there is nobody left to deliver to
   */
  boolean deliver(Delivery delivery);
}
