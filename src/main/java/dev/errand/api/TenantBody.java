package dev.errand.api;

import dev.errand.secret.Secrets;
import dev.errand.setting.HttpUrl;
import dev.errand.setting.Pasted;
import dev.errand.tenant.ProviderCredentials;
import dev.errand.tenant.Tenant;
import dev.errand.tenant.TenantModels;
import jakarta.validation.Valid;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Digits;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a tenant in a request. Null means the service's setting, or no limit where there
 * is none; 0 means none allowed.
 */
record TenantBody(
    @Nullable
        @Min(value = 1, message = TenantBody.WEIGHT)
        @Max(value = 1000, message = TenantBody.WEIGHT)
        Integer weight,
    @Nullable @Min(value = 0, message = TenantBody.LIMIT) Integer maxConcurrentRuns,
    @Nullable @Min(value = 0, message = TenantBody.LIMIT) Integer maxPendingTasks,
    @Nullable @Min(value = 0, message = TenantBody.LIMIT) Integer delegationsPerHour,
    @Nullable @Min(value = 0, message = TenantBody.LIMIT) Long tokensPerDay,
    @Nullable
        @DecimalMin(value = "0", message = TenantBody.MONEY)
        @DecimalMax(value = "1000000000", message = TenantBody.MONEY)
        @Digits(integer = 10, fraction = 6, message = TenantBody.MONEY)
        BigDecimal costPerDay,
    @Nullable @Valid ModelsBody models) {

  static final String LIMIT = "must be 0 or more; 0 means none; leave it out to set no limit";
  static final String WEIGHT = "must be between 1 and 1000";
  static final String MONEY =
      "must be between 0 and 1000000000 with at most 6 digits after the point";

  private static final int MICROS = 6;

  /**
   * @param ownOnly whether the credentials of the service are refused
   * @param allowed names of models, {@code provider:name}, with {@code *} at the end of any; null:
   *     all models
   */
  record ModelsBody(
      @Nullable Boolean ownOnly,
      @Nullable @Size(max = 100, message = "must have at most 100 names")
          List<
                  @NotNull(message = "is required")
                  @Pattern(
                      regexp = "^(\\*|[^\\s*]{1,199}\\*?)$",
                      message =
                          "must be a name such as openai:gpt-5, or the beginning of one and *")
                  String>
              allowed,
      @Nullable @Valid Providers providers) {}

  record Providers(
      @Nullable @Valid Provider openai,
      @Nullable @Valid Provider anthropic,
      @Nullable @Valid Provider ollama) {

    private static Providers of(Map<String, ProviderCredentials> all) {
      return new Providers(
          Provider.of(all.get("openai")),
          Provider.of(all.get("anthropic")),
          Provider.of(all.get("ollama")));
    }

    private Map<String, Provider> given() {
      var given = new LinkedHashMap<String, Provider>();
      Optional.ofNullable(openai).ifPresent(provider -> given.put("openai", provider));
      Optional.ofNullable(anthropic).ifPresent(provider -> given.put("anthropic", provider));
      Optional.ofNullable(ollama).ifPresent(provider -> given.put("ollama", provider));
      return given;
    }

    private Map<String, ProviderCredentials> all() {
      var all = new LinkedHashMap<String, ProviderCredentials>();
      given().forEach((name, provider) -> all.put(name, provider.access()));
      return all;
    }
  }

  /**
   * Credentials that replace those of the service.
   *
   * @param apiKey in answers {@code ***}; in a request, this keeps the stored key
   * @param baseUrl null: the base URL of the service
   */
  record Provider(
      @Nullable
          @Size(min = 1, max = 500, message = "must have 1 to 500 characters")
          @Pattern(regexp = "^[\\x21-\\x7e]*$", message = "must be printable ASCII without spaces")
          String apiKey,
      @Nullable @Size(max = 2000, message = "must have at most 2000 characters") String baseUrl) {

    Provider {
      apiKey = apiKey == null ? null : Pasted.plain(apiKey);
    }

    private static @Nullable Provider of(@Nullable ProviderCredentials access) {
      return access == null
          ? null
          : new Provider(
              access.hasKey() ? Secrets.MASK : null,
              access.baseUrl() == null ? null : access.baseUrl().toString());
    }

    private ProviderCredentials access() {
      var url = baseUrl == null ? null : HttpUrl.read(baseUrl);
      return new ProviderCredentials(apiKey, url, null);
    }

    @Override
    public String toString() {
      return "Provider[baseUrl=" + baseUrl + "]";
    }
  }

  /** A tenant as clients see it: without its keys. */
  record TenantView(
      String id,
      int weight,
      @Nullable Integer maxConcurrentRuns,
      @Nullable Integer maxPendingTasks,
      @Nullable Integer delegationsPerHour,
      @Nullable Long tokensPerDay,
      @Nullable BigDecimal costPerDay,
      ModelsBody models) {

    static TenantView of(Tenant tenant) {
      var models = tenant.models();
      var cost = tenant.costPerDayMicros();
      return new TenantView(
          tenant.id(),
          tenant.weight(),
          tenant.maxConcurrentRuns(),
          tenant.maxPendingTasks(),
          tenant.delegationsPerHour(),
          tenant.tokensPerDay(),
          cost == null ? null : money(cost),
          new ModelsBody(models.ownOnly(), models.allowed(), Providers.of(models.providers())));
    }

    private static BigDecimal money(long micros) {
      var amount = BigDecimal.valueOf(micros, MICROS).stripTrailingZeros();
      return amount.scale() < 0 ? amount.setScale(0) : amount;
    }
  }

  /** Returns the addresses that were given, by provider. */
  Map<String, String> baseUrls() {
    var urls = new LinkedHashMap<String, String>();
    if (models != null && models.providers() != null) {
      models
          .providers()
          .given()
          .forEach((name, provider) -> {
            if (provider.baseUrl() != null) {
              urls.put(name, provider.baseUrl());
            }
          });
    }
    return urls;
  }

  Tenant of(String id) {
    return new Tenant(
        id,
        Objects.requireNonNullElse(weight, 1),
        maxConcurrentRuns,
        maxPendingTasks,
        delegationsPerHour,
        tokensPerDay,
        costPerDay == null ? null : costPerDay.movePointRight(MICROS).longValueExact(),
        models == null ? TenantModels.OF_SERVICE : own(models));
  }

  private static TenantModels own(ModelsBody asked) {
    var providers = asked.providers();
    return new TenantModels(
        Boolean.TRUE.equals(asked.ownOnly()),
        asked.allowed(),
        providers == null ? Map.of() : providers.all());
  }
}
