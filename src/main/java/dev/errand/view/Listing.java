package dev.errand.view;

import io.quarkus.panache.common.Sort;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The part of a list that a page shows.
 *
 * @param cursor the last row of the previous page; null for the first page
 * @param limit how many rows it has at most
 */
public record Listing(Order order, @Nullable UUID cursor, int limit) {

  /** Ids begin with the instant of their creation, so that sorting by id sorts by age. */
  public enum Order {
    OLDEST_FIRST,
    NEWEST_FIRST
  }

  Sort sort() {
    return Sort.by(
        "id", order == Order.OLDEST_FIRST ? Sort.Direction.Ascending : Sort.Direction.Descending);
  }

  String afterCursor() {
    return order == Order.OLDEST_FIRST ? "id > :cursor" : "id < :cursor";
  }
}
