package dev.errand.model;

import dev.errand.demo.OfflineModels;
import dev.errand.setting.BoundsCheck;
import dev.errand.trace.Spans;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The real providers with the configuration of a test. */
public final class Models {

  private Models() {}

  public static LanguageModels with(Map<String, String> properties) {
    return with(properties, true);
  }

  /**
   * @param allowPrivate whether tenants may give private addresses
   */
  static LanguageModels with(Map<String, String> properties, boolean allowPrivate) {
    var config = config(properties);
    return with(config, new TenantEndpoints(config, allowPrivate));
  }

  static LanguageModels with(ModelConfig config, TenantEndpoints tenants) {
    return with(config, http(config, tenants));
  }

  static LanguageModels with(ModelConfig config, ModelHttp http) {
    var windows = windows(config);
    return new LanguageModels(
        List.of(
            new ApiProvider(ProviderApi.OPENAI, config, http, windows),
            new ApiProvider(ProviderApi.ANTHROPIC, config, http, windows),
            new ApiProvider(ProviderApi.OLLAMA, config, http, windows),
            OfflineModels.provider()),
        new ModelMetrics(new SimpleMeterRegistry()),
        new Prices(Optional.empty(), Optional.empty()),
        new Spans(OpenTelemetry.noop(), true));
  }

  static ModelHttp http(ModelConfig config, TenantEndpoints tenants) {
    return new ModelHttp(config, new EndpointGates(List.of(), config), tenants);
  }

  static ContextWindows windows(ModelConfig config) {
    return new ContextWindows(config, Map::of);
  }

  static ModelConfig config(Map<String, String> properties) {
    return new SmallRyeConfigBuilder()
        .addDiscoveredConverters()
        .withMapping(ModelConfig.class)
        .withCustomizers(new BoundsCheck())
        .withDefaultValues(properties)
        .build()
        .getConfigMapping(ModelConfig.class);
  }
}
