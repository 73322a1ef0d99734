package dev.errand.view;

import dev.errand.postgres.StorableText;
import io.quarkus.panache.common.Parameters;
import java.util.Collection;
import java.util.Map;
import java.util.StringJoiner;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The conditions of a query in HQL, all of which must be true. What is null or empty is no
 * condition.
 */
final class Conditions {

  private static final Pattern SPACES = Pattern.compile("\\s+");

  private final StringJoiner text =
      new StringJoiner(" and ", "1 = 1 and ", "").setEmptyValue("1 = 1");
  private final Parameters values = new Parameters();

  /**
   * @param condition with one named parameter
   */
  Conditions where(String condition, String name, @Nullable Object value) {
    if (value != null) {
      text.add(condition);
      bind(name, value);
    }
    return this;
  }

  /**
   * @param condition without parameters
   */
  Conditions always(String condition) {
    text.add(condition);
    return this;
  }

  /** A text is compared with what the database has in its place. */
  private void bind(String name, Object value) {
    values.and(name, value instanceof String text ? StorableText.of(text) : value);
  }

  /**
   * @param condition with one named parameter, which takes all the values
   */
  Conditions whereAny(String condition, String name, Collection<?> anyOf) {
    return anyOf.isEmpty() ? this : where(condition, name, anyOf);
  }

  Conditions created(Period period) {
    return where("createdAt > :after", "after", period.after())
        .where("createdAt < :before", "before", period.before());
  }

  /**
   * Adds the condition that each word is part of the text of the row that {@code searched} has for
   * the same id. The text is in lower case as PostgreSQL writes it, which depends on the locale, so
   * the words become that there, too.
   */
  Conditions words(Class<?> searched, @Nullable String words) {
    if (words == null || words.isBlank()) {
      return this;
    }
    var found = new StringJoiner(" and ");
    for (var word : SPACES.splitAsStream(words.strip()).toList()) {
      var name = "word" + found.length();
      found.add("s.text like lower(:" + name + ") escape '!'");
      bind(name, "%" + word.replaceAll("[!%_]", "!$0") + "%");
    }
    text.add("id in (select s.id from " + searched.getSimpleName() + " s where " + found + ")");
    return this;
  }

  /** Adds the condition that a JSON column has these values for these keys. */
  Conditions json(String column, Map<String, String> expected) {
    expected.forEach((key, value) -> {
      var place = values.map().size();
      text.add(
          "function('jsonb_extract_path_text', %s, :key%d) = :value%d"
              .formatted(column, place, place));
      bind("key" + place, key);
      bind("value" + place, value);
    });
    return this;
  }

  Conditions page(Listing page) {
    return where(page.afterCursor(), "cursor", page.cursor());
  }

  /** Begins with a condition that is always true, so that there is a text without conditions. */
  String text() {
    return text.toString();
  }

  Parameters values() {
    return values;
  }
}
