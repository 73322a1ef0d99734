package dev.errand.api;

import com.fasterxml.jackson.databind.JsonNode;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Digits;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.lang.reflect.AnnotatedElement;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The constraints of a value by the keywords of JSON Schema. */
final class Constraints {

  private static final Set<String> KEYWORDS =
      Set.of(
          "minLength",
          "maxLength",
          "minItems",
          "maxItems",
          "minimum",
          "maximum",
          "multipleOf",
          "pattern");

  private Constraints() {}

  /**
   * Those that Bean Validation checks.
   *
   * @param size what {@code @Size} counts: Length or Items
   */
  static Map<String, String> of(AnnotatedElement value, String size) {
    var found = new TreeMap<String, String>();
    for (var annotation : value.getAnnotations()) {
      switch (annotation) {
        case Size it -> {
          if (it.min() > 0) {
            found.put("min" + size, number(it.min()));
          }
          if (it.max() < Integer.MAX_VALUE) {
            found.put("max" + size, number(it.max()));
          }
        }
        case Min it -> found.put("minimum", number(it.value()));
        case Max it -> found.put("maximum", number(it.value()));
        case DecimalMin it -> found.put("minimum", plain(new BigDecimal(it.value())));
        case DecimalMax it -> found.put("maximum", plain(new BigDecimal(it.value())));
        case Digits it ->
            found.put("multipleOf", plain(BigDecimal.ONE.movePointLeft(it.fraction())));
        case Pattern it -> found.put("pattern", it.regexp());
        case NotBlank _ -> found.putIfAbsent("pattern", "\\S");
        default -> {}
      }
    }
    return found;
  }

  static Map<String, String> documented(JsonNode schema) {
    var found = new TreeMap<String, String>();
    schema.properties().stream()
        .filter(one -> KEYWORDS.contains(one.getKey()))
        .forEach(one -> found.put(one.getKey(), text(one.getValue())));
    return found;
  }

  private static String text(JsonNode value) {
    return value.isNumber() ? plain(value.decimalValue()) : value.asText();
  }

  private static String number(long value) {
    return plain(BigDecimal.valueOf(value));
  }

  private static String plain(BigDecimal value) {
    return value.stripTrailingZeros().toPlainString();
  }
}
