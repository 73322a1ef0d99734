package dev.errand.egress;

import dev.errand.egress.EgressPolicy.BlockedAddressException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.io.Closer;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * Sends HTTP requests to addresses that others chose. It follows no redirects, keeps no connections
 * or cookies, does not retry or decompress, connects only to addresses that the policy allows, and
 * keeps its time limit whatever the server does. The caller checks the form of the URL before, with
 * {@link EgressPolicy#shape}.
 */
public final class CheckedHttp implements AutoCloseable {

  private final EgressPolicy policy;
  private final PoolingHttpClientConnectionManager connections;
  private final CloseableHttpClient http;
  private final @Nullable ProxiedHttp proxied;

  /** Converts an answer to a value; must not keep the answer. */
  @FunctionalInterface
  public interface AnswerConverter<T> {
    T read(ClassicHttpResponse response) throws IOException;
  }

  public CheckedHttp(EgressPolicy policy, HttpLimits limits, ProxyUse way) {
    this.policy = policy;
    this.connections = connections(new CheckedResolver(policy), limits);
    this.http = client(connections).build();
    this.proxied = way == ProxyUse.BY_PROXY ? new ProxiedHttp(limits) : null;
  }

  static HttpClientBuilder client(PoolingHttpClientConnectionManager connections) {
    return HttpClients.custom()
        .setConnectionManager(connections)
        .setConnectionReuseStrategy((_, _, _) -> false)
        .setDefaultRequestConfig(RequestConfig.custom().setProtocolUpgradeEnabled(false).build())
        .setUserAgent("Errand")
        .disableRedirectHandling()
        .disableAutomaticRetries()
        .disableCookieManagement()
        .disableAuthCaching()
        .disableContentCompression();
  }

  /**
   * Sends the request and reads as much of the answer as {@code reading} needs.
   *
   * @param within time limit for everything, the name lookup included
   * @throws SocketTimeoutException the time limit is exceeded; {@code reading} may still be running
   * @throws UnknownHostException the host has no address, or ({@link BlockedAddressException}) one
   *     that must not be called
   * @throws IOException the request failed; {@link #reason} returns what may be shown
   */
  public <T> T exchange(HttpUriRequestBase request, Duration within, AnswerConverter<T> reading)
      throws IOException, InterruptedException {
    var exchange = new FutureTask<>(() -> exchange(request, reading));
    Thread.ofVirtual().name("http-exchange").start(exchange);
    try {
      return exchange.get(within.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException _) {
      throw new SocketTimeoutException("the time limit is exceeded");
    } catch (ExecutionException broken) {
      throw broken.getCause() instanceof IOException fault ? fault : new IOException(broken);
    } finally {
      request.cancel();
      exchange.cancel(true);
      // The pool keeps an entry for each host until it is cleaned.
      connections.closeExpired();
    }
  }

  private <T> T exchange(HttpUriRequestBase request, AnswerConverter<T> reading)
      throws IOException {
    var response = open(target(request), request);
    try {
      return reading.read(response);
    } finally {
      // Otherwise closing reads the rest of the body, however long it is.
      request.cancel();
      Closer.closeQuietly(response);
    }
  }

  private ClassicHttpResponse open(HttpHost target, HttpUriRequestBase request) throws IOException {
    var proxy =
        proxied == null ? Optional.<ProxyServer>empty() : Proxies.of(URI.create(target.toURI()));
    if (proxied == null || proxy.isEmpty()) {
      return http.executeOpen(target, request, null);
    }
    var ignored = policy.addresses(target.getHostName());
    return proxied.open(proxy.get(), target, request);
  }

  private static HttpHost target(HttpUriRequestBase request) {
    return new HttpHost(
        request.getScheme(),
        request.getAuthority().getHostName(),
        request.getAuthority().getPort());
  }

  /** Returns why a request failed, without details of the network. */
  public static String reason(@Nullable Throwable fault) {
    return switch (fault) {
      case BlockedAddressException _ -> "blocked address";
      case UnknownHostException _ -> "host not found";
      case SocketTimeoutException _ -> "timed out";
      case SSLException tls -> TlsFault.in(tls).map(TlsFault::reason).orElse("TLS failed");
      case MessageConstraintException _ ->
          "headers longer than %d KiB".formatted(BoundedHeads.MAX_BYTES >> 10);
      case null, default -> "connection failed";
    };
  }

  @Override
  public void close() {
    http.close(CloseMode.IMMEDIATE);
    if (proxied != null) {
      proxied.close();
    }
  }

  static PoolingHttpClientConnectionManager connections(DnsResolver names, HttpLimits limits) {
    return PoolingHttpClientConnectionManagerBuilder.create()
        .setDnsResolver(names)
        .setConnectionFactory(
            ManagedHttpClientConnectionFactory.builder()
                .http1Config(BoundedHeads.limits())
                .responseParserFactory(new BoundedHeads())
                .build())
        .setDefaultConnectionConfig(
            ConnectionConfig.custom()
                .setConnectTimeout(Timeout.of(limits.connect()))
                .setSocketTimeout(Timeout.of(limits.silence()))
                .build())
        .setMaxConnTotal(limits.connections())
        .setMaxConnPerRoute(limits.connections())
        .build();
  }

  /** The only name lookup; the client connects to the addresses that it returns. */
  private record CheckedResolver(EgressPolicy policy) implements DnsResolver {

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
