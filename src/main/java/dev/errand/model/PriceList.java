package dev.errand.model;

import static java.util.Comparator.comparingInt;

import dev.errand.conversation.Cost;
import dev.errand.conversation.Usage;
import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.YamlField;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/**
 * A file of prices: {@code "provider:model": {input: 3.00, cached_input: 0.30, output: 15.00}}.
 *
 * @param prices by the name of the model, which may end with {@code *}
 */
record PriceList(Map<String, Price> prices) {

  private static final BigDecimal HIGHEST = new BigDecimal(1_000_000);
  private static final int DIGITS = 6;

  /** The prices of a million tokens, which are those of one token in millionths. */
  record Price(BigDecimal input, BigDecimal cachedInput, BigDecimal output) {

    /** Returns the cost, rounded once for the whole call, half up to a millionth. */
    Cost of(Usage usage) {
      var cached = Math.min(usage.cachedInputTokens(), usage.inputTokens());
      var micros =
          input
              .multiply(BigDecimal.valueOf(usage.inputTokens() - cached))
              .add(cachedInput.multiply(BigDecimal.valueOf(cached)))
              .add(output.multiply(BigDecimal.valueOf(usage.outputTokens())));
      return new Cost(micros.setScale(0, RoundingMode.HALF_UP).longValueExact());
    }
  }

  /**
   * @throws BrokenFile names the line and the field
   */
  static PriceList of(String file, String text) {
    var prices = new LinkedHashMap<String, Price>();
    for (var model : YamlField.read(file, 1, text)) {
      if (!model.key().matches("[^\\s:*]+:([^\\s*]+\\*?|\\*)")) {
        throw new BrokenFile(
            file,
            model.line(),
            "'%s' must be provider:model; a * may end it".formatted(model.key()));
      }
      if (prices.put(model.key(), price(file, model)) != null) {
        throw new BrokenFile(file, model.line(), model.key() + " occurs twice");
      }
    }
    return new PriceList(prices);
  }

  private static Price price(String file, YamlField model) {
    var amounts = new LinkedHashMap<String, BigDecimal>();
    for (var field : model.fields(file)) {
      var place = model.key() + "." + field.key();
      if (!field.key().matches("input|cached_input|output")) {
        throw new BrokenFile(
            file, field.line(), place + " is unknown; known are input, cached_input and output");
      }
      if (amounts.put(field.key(), amount(file, place, field)) != null) {
        throw new BrokenFile(file, field.line(), place + " occurs twice");
      }
    }
    var input = amounts.get("input");
    var output = amounts.get("output");
    if (input == null || output == null) {
      var missing = model.key() + (input == null ? ".input" : ".output");
      throw new BrokenFile(file, model.line(), missing + " is missing");
    }
    return new Price(input, amounts.getOrDefault("cached_input", input), output);
  }

  private static BigDecimal amount(String file, String place, YamlField field) {
    var text = field.value() instanceof ScalarNode scalar ? scalar.getValue() : "";
    if (!text.matches("\\d{1,7}(\\.\\d{1,%d})?".formatted(DIGITS))
        || new BigDecimal(text).compareTo(HIGHEST) > 0) {
      throw new BrokenFile(
          file,
          field.line(),
          place
              + " must be a price of a million tokens such as 0.25: from 0 to %s, with at most %d digits after the point"
                  .formatted(HIGHEST, DIGITS));
    }
    return new BigDecimal(text);
  }

  /**
   * Returns the price under the name itself, or else under the longest one that ends with a star.
   */
  Optional<Price> find(String model) {
    var exact = prices.get(model);
    return exact != null
        ? Optional.of(exact)
        : prices.entrySet().stream()
            .filter(price -> isCovered(model, price.getKey()))
            .max(comparingInt(price -> price.getKey().length()))
            .map(Map.Entry::getValue);
  }

  private static boolean isCovered(String model, String name) {
    return name.endsWith("*") && model.startsWith(name.substring(0, name.length() - 1));
  }
}
