package dev.errand.model;

import dev.errand.tenant.ProviderCredentials;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP client that all providers share, and their endpoints. {@link DefaultModel} creates it at
 * the start, so that a wrong setting stops it.
 */
@Singleton
class ModelHttp {

  private static final int MAX_ANSWER_BYTES = 32 << 20;

  private final HttpClient http;
  private final ModelConfig config;
  private final EndpointGates gates;
  private final TenantEndpoints tenants;
  private final ServiceEndpoints service;
  private final int maxAnswerBytes;
  private final EndpointQuirks quirks = new EndpointQuirks();

  @Inject
  ModelHttp(ModelConfig config, EndpointGates gates, TenantEndpoints tenants) {
    this(config, gates, tenants, MAX_ANSWER_BYTES);
  }

  ModelHttp(ModelConfig config, EndpointGates gates, TenantEndpoints tenants, int maxAnswerBytes) {
    this.maxAnswerBytes = maxAnswerBytes;
    this.tenants = tenants;
    this.service = new ServiceEndpoints(config);
    this.config = config;
    this.gates = gates;
    this.http =
        HttpClient.newBuilder()
            .connectTimeout(config.connectTimeout())
            // Some local model servers hang when the JDK offers an upgrade to HTTP/2.
            .version(Version.HTTP_1_1)
            // A redirect would send the key to another host.
            .followRedirects(Redirect.NEVER)
            .build();
  }

  /** Returns what is configured for a provider. */
  ServiceEndpoints.Configured configured(ProviderApi api) {
    return service.of(api);
  }

  /**
   * Returns the endpoint of the service, or that of a tenant, to which the key of the service is
   * never sent.
   *
   * @param own null for the endpoint of the service
   */
  Endpoint endpoint(ProviderApi api, @Nullable ProviderCredentials own) {
    var configured = service.of(api);
    var byDefault = Objects.requireNonNullElse(configured.baseUrl(), api.standard());
    if (own == null) {
      return new Endpoint(api.provider(), byDefault, configured.apiKey(), null);
    }
    var url = own.baseUrl() == null ? byDefault : api.base(own.baseUrl());
    return new Endpoint(api.provider(), url, own.apiKey(), own);
  }

  /** Returns how requests are changed for endpoints that refuse them as they are. */
  EndpointQuirks quirks() {
    return quirks;
  }

  /** Returns a client for an endpoint. */
  EndpointHttp to(Endpoint endpoint) {
    return new EndpointHttp(http, endpoint, config, gates, tenants, maxAnswerBytes);
  }
}
