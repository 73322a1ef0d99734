package dev.errand.view;

import java.util.List;

/**
 * The rows of one page.
 *
 * @param more whether rows follow
 */
public record Slice<T>(List<T> items, boolean more) {

  public Slice {
    items = List.copyOf(items);
  }
}
