package dev.errand.kit;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Values in a JSON document by path: names separated by dots, {@code [2]} or {@code [-1]} for an
 * element, {@code size()}, and {@code find} or {@code findAll { it.name == 'value' }}. A name after
 * a list stands for this field of all its elements, and of those of lists in it; elements that are
 * null are skipped.
 *
 * @param document of maps, lists, strings, numbers, booleans and null
 */
record JsonFields(@Nullable Object document) {

  private static final Pattern STEP =
      Pattern.compile(
          "(?<filter>find|findAll) ?\\{ ?it\\.(?<field>\\w+) == (?<value>'[^']*'|null) ?}"
              + "|\\[(?<index>-?\\d+)]|(?<size>size\\(\\))|'(?<quoted>[^']+)'|(?<name>[^.\\[\\s]+)");

  @Nullable Object at(String path) {
    @Nullable Object value = document;
    for (var step : STEP.matcher(path).results().toList()) {
      value = value == null ? null : next(value, step);
    }
    return value;
  }

  private static @Nullable Object next(Object value, MatchResult step) {
    if (step.group("filter") != null) {
      return filtered((List<?>) value, step);
    }
    if (step.group("index") != null) {
      return element((List<?>) value, Integer.parseInt(step.group("index")));
    }
    if (step.group("size") != null) {
      return value instanceof Map<?, ?> map ? map.size() : ((List<?>) value).size();
    }
    var quoted = step.group("quoted");
    return field(value, quoted == null ? step.group("name") : quoted);
  }

  private static @Nullable Object filtered(List<?> list, MatchResult step) {
    var quoted = step.group("value");
    var expected = quoted.equals("null") ? null : quoted.substring(1, quoted.length() - 1);
    var name = step.group("field");
    var found =
        list.stream().filter(each -> Objects.equals(((Map<?, ?>) each).get(name), expected));
    return step.group("filter").equals("findAll") ? found.toList() : found.findFirst().orElse(null);
  }

  private static @Nullable Object element(List<?> list, int index) {
    int place = index < 0 ? list.size() + index : index;
    return place < list.size() ? list.get(place) : null;
  }

  private static @Nullable Object field(Object value, String name) {
    if (value instanceof List<?> list) {
      return list.stream()
          .flatMap(each -> each instanceof List<?> inner ? inner.stream() : Stream.of(each))
          .filter(Objects::nonNull)
          .map(each -> ((Map<?, ?>) each).get(name))
          .toList();
    }
    return ((Map<?, ?>) value).get(name);
  }
}
