package dev.errand.http;

import dev.errand.view.Slice;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A page of a list.
 *
 * @param nextCursor what to pass as {@code cursor} for the next page, or as {@code after_seq} for
 *     messages; null on the last one
 */
public record Page<T>(List<T> items, @Nullable String nextCursor) {

  /** Returns a list that has no other page. */
  public static <T> Page<T> whole(List<T> items) {
    return new Page<>(items, null);
  }

  /** Returns the rows of one page, with the cursor of the last one when rows follow. */
  public static <T> Page<T> of(Slice<T> rows, Function<T, String> cursor) {
    return rows.more()
        ? new Page<>(rows.items(), cursor.apply(rows.items().getLast()))
        : whole(rows.items());
  }
}
