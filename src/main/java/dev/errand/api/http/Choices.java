package dev.errand.api.http;

import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads query parameters that take one of a few words. */
public final class Choices {

  private Choices() {}

  /**
   * The value that {@code word} names; null when it is absent.
   *
   * @throws Refusal it names none
   */
  public static <T> @Nullable T read(
      String name, @Nullable String word, T[] values, Function<T, String> wordOf) {
    if (word == null) {
      return null;
    }
    return Arrays.stream(values)
        .filter(value -> wordOf.apply(value).equals(word))
        .findFirst()
        .orElseThrow(() ->
            Refusal.invalid(
                name,
                "must be one of "
                    + Arrays.stream(values).map(wordOf).collect(Collectors.joining(", "))));
  }
}
