package dev.errand.api;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One page of a list.
 *
 * @param nextCursor what to pass as {@code cursor} for the next page; null on the last one
 */
record Page<T>(List<T> items, @Nullable String nextCursor) {

  static final int DEFAULT_LIMIT = 50;
  private static final int MAX_LIMIT = 200;

  /** Everything on one page. */
  static <T> Page<T> whole(List<T> items) {
    return new Page<>(items, null);
  }

  /**
   * @param found one more than {@code limit} when there is a next page
   */
  static <T> Page<T> of(List<T> found, int limit, Function<T, String> cursor) {
    if (found.size() <= limit) {
      return whole(found);
    }
    var items = found.subList(0, limit);
    return new Page<>(items, cursor.apply(items.getLast()));
  }

  /**
   * @throws Refusal it is not from 1 to 200
   */
  static int limit(int asked) {
    if (asked < 1 || asked > MAX_LIMIT) {
      throw Refusal.invalid("limit", "must be from 1 to " + MAX_LIMIT);
    }
    return asked;
  }
}
