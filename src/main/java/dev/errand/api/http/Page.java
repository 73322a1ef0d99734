package dev.errand.api.http;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One page of a list.
 *
 * @param nextCursor what to pass as {@code cursor} for the next page; null on the last one
 */
public record Page<T>(List<T> items, @Nullable String nextCursor) {

  /** Everything on one page. */
  public static <T> Page<T> whole(List<T> items) {
    return new Page<>(items, null);
  }

  /**
   * @param found one more than {@code limit} when there is a next page
   */
  public static <T> Page<T> of(List<T> found, int limit, Function<T, String> cursor) {
    if (found.size() <= limit) {
      return whole(found);
    }
    var items = found.subList(0, limit);
    return new Page<>(items, cursor.apply(items.getLast()));
  }
}
