package dev.errand.model;

import dev.errand.conversation.Usage;
import dev.errand.markdown.BrokenFile;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Currency;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * The cost of model calls: by the file of the operator, {@code errand.prices.file}, or else by the
 * list that is part of the service. The operator's file takes precedence, also with a star.
 */
@Singleton
public class Prices {

  private static final String SHIPPED = "prices.yaml";
  private static final String CURRENCY_OF_SHIPPED = "USD";

  private final PriceList own;
  private final PriceList shipped;
  private final Optional<String> currency;

  public Prices(
      @ConfigProperty(name = "errand.prices.file") Optional<String> file,
      @ConfigProperty(name = "errand.prices.currency") Optional<String> currency) {
    this.shipped = PriceList.of(SHIPPED, shippedText());
    this.own = file.map(Prices::read).orElseGet(() -> new PriceList(Map.of()));
    this.currency =
        currency
            .map(Prices::checkedCurrency)
            .or(() -> file.isEmpty() ? Optional.of(CURRENCY_OF_SHIPPED) : Optional.empty());
  }

  void check(@Observes @Priority(-3) StartupEvent start) {
    // The constructor has read the files.
  }

  /**
   * Returns the currency of all prices and costs, as ISO 4217 names it: the configured one, or that
   * of the list that is part of the service. Empty when the operator's file has no currency.
   */
  public Optional<String> currency() {
    return currency;
  }

  /** Returns whether calls of this model, {@code provider:name}, have a price. */
  public boolean include(String model) {
    return find(model).isPresent();
  }

  /**
   * Returns what to do about a model without a price where money is limited; empty when it has one.
   */
  public Optional<String> problem(String model) {
    return include(model)
        ? Optional.empty()
        : Optional.of(
            "the model %s has no price, and a limit in money applies; add \"%s\": {input, cached_input, output} to the file of ERRAND_PRICES_FILE (errand.prices.file)"
                .formatted(model, model));
  }

  /** Returns the usage of one call with its cost, if the model has a price. */
  Usage priced(String model, Usage usage) {
    return find(model).map(price -> usage.costing(price.of(usage))).orElse(usage);
  }

  private Optional<PriceList.Price> find(String model) {
    return own.find(model).or(() -> shipped.find(model));
  }

  private static String checkedCurrency(String code) {
    try {
      return Currency.getInstance(code).getCurrencyCode();
    } catch (IllegalArgumentException _) {
      throw new ConfigurationException(
          "ERRAND_PRICES_CURRENCY (errand.prices.currency) must be a currency code of ISO 4217 such as EUR, not "
              + code);
    }
  }

  private static PriceList read(String file) {
    try {
      return PriceList.of(file, Files.readString(Path.of(file)));
    } catch (BrokenFile broken) {
      throw new ConfigurationException(
          "ERRAND_PRICES_FILE (errand.prices.file): " + broken.sentence());
    } catch (IOException fault) {
      throw new ConfigurationException(
          "ERRAND_PRICES_FILE (errand.prices.file): "
              + file
              + " cannot be read as a text: "
              + fault);
    }
  }

  private static String shippedText() {
    try (var resource = Prices.class.getResourceAsStream("/" + SHIPPED)) {
      return new String(Objects.requireNonNull(resource).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }
}
