package dev.errand.webhook;

import dev.errand.egress.EgressPolicy;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.util.Timeout;

/**
 * Makes the HTTP client for webhooks. It follows nothing, keeps nothing, repeats nothing, uses no
 * proxy, and connects to addresses only that the policy has let pass.
 */
final class WebhookClient {

  private static final int LONGEST_HEADER_LINE = 8 << 10;
  private static final int MOST_HEADERS = 100;

  private WebhookClient() {}

  static CloseableHttpClient create(WebhookConfig config, EgressPolicy policy) {
    var limits = RequestConfig.custom().setProtocolUpgradeEnabled(false).build();
    return HttpClients.custom()
        .setConnectionManager(connections(config, policy))
        .setConnectionReuseStrategy((_, _, _) -> false)
        .setDefaultRequestConfig(limits)
        .setUserAgent("Errand")
        .disableRedirectHandling()
        .disableAutomaticRetries()
        .disableCookieManagement()
        .disableAuthCaching()
        .disableContentCompression()
        .build();
  }

  private static PoolingHttpClientConnectionManager connections(
      WebhookConfig config, EgressPolicy policy) {
    var patience = Timeout.of(config.totalTimeout());
    // Twice as many as posts: one that timed out may still be on its way out.
    var most = 2 * config.concurrency();
    return PoolingHttpClientConnectionManagerBuilder.create()
        .setDnsResolver(new CheckedNames(policy))
        .setConnectionFactory(
            ManagedHttpClientConnectionFactory.builder()
                .http1Config(
                    Http1Config.custom()
                        .setMaxLineLength(LONGEST_HEADER_LINE)
                        .setMaxHeaderCount(MOST_HEADERS)
                        .build())
                .build())
        .setDefaultConnectionConfig(
            ConnectionConfig.custom()
                .setConnectTimeout(Timeout.of(config.connectTimeout()))
                .setSocketTimeout(patience)
                .build())
        .setMaxConnTotal(most)
        .setMaxConnPerRoute(most)
        .build();
  }

  /** The one look-up: what it returns is what is connected to. */
  private record CheckedNames(EgressPolicy policy) implements DnsResolver {

    @Override
    public InetAddress[] resolve(String host) throws UnknownHostException {
      return policy.addresses(host).toArray(InetAddress[]::new);
    }

    @Override
    public String resolveCanonicalHostname(String host) {
      return host;
    }
  }
}
