package dev.errand.egress;

import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
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
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.io.Closer;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * Makes HTTP exchanges with addresses that others chose. It follows nothing, keeps nothing, repeats
 * nothing, unpacks nothing, uses no proxy, connects to addresses only that the policy has let pass,
 * and takes no longer than it may, whatever the other side does. What a request's URL looks like is
 * judged before, by {@link EgressPolicy#shape}.
 */
public final class CheckedHttp implements AutoCloseable {

  private static final int LONGEST_HEADER_LINE = 16 << 10;
  private static final int MOST_HEADERS = 100;

  private final PoolingHttpClientConnectionManager connections;
  private final CloseableHttpClient http;

  /**
   * @param connect for making a connection
   * @param silence for the next bytes of an answer
   * @param connections how many there may be at once; who finds none free waits
   */
  public record Limits(Duration connect, Duration silence, int connections) {}

  /** Makes a value of an answer; must not use the answer afterwards. */
  @FunctionalInterface
  public interface Reading<T> {
    T read(ClassicHttpResponse response) throws IOException;
  }

  public CheckedHttp(EgressPolicy policy, Limits limits) {
    this.connections = connections(policy, limits);
    this.http =
        HttpClients.custom()
            .setConnectionManager(connections)
            .setConnectionReuseStrategy((_, _, _) -> false)
            .setDefaultRequestConfig(
                RequestConfig.custom().setProtocolUpgradeEnabled(false).build())
            .setUserAgent("Errand")
            .disableRedirectHandling()
            .disableAutomaticRetries()
            .disableCookieManagement()
            .disableAuthCaching()
            .disableContentCompression()
            .build();
  }

  /**
   * Sends the request and reads the answer, or so much of it as {@code reading} wants.
   *
   * @param within for all of it, the look-up of the name included
   * @throws SocketTimeoutException it took longer; {@code reading} may still be at work
   * @throws UnknownHostException the host has no address, or, a {@link BlockedAddressException},
   *     one that must not be connected to
   * @throws IOException it failed otherwise; {@link #words} says what may be told of it
   */
  public <T> T exchange(HttpUriRequestBase request, Duration within, Reading<T> reading)
      throws IOException, InterruptedException {
    var exchange = new FutureTask<>(() -> exchange(request, reading));
    Thread.ofVirtual().name("http-exchange").start(exchange);
    try {
      return exchange.get(within.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException _) {
      throw new SocketTimeoutException("the time for all is over");
    } catch (ExecutionException broken) {
      throw broken.getCause() instanceof IOException fault ? fault : new IOException(broken);
    } finally {
      request.cancel();
      exchange.cancel(true);
      // It would remember every host that it was ever asked for.
      connections.closeExpired();
    }
  }

  private <T> T exchange(HttpUriRequestBase request, Reading<T> reading) throws IOException {
    var response = http.executeOpen(target(request), request, null);
    try {
      return reading.read(response);
    } finally {
      // Without it, closing would read the rest of the body, however long that is.
      request.cancel();
      Closer.closeQuietly(response);
    }
  }

  private static HttpHost target(HttpUriRequestBase request) {
    return new HttpHost(
        request.getScheme(),
        request.getAuthority().getHostName(),
        request.getAuthority().getPort());
  }

  /** What may be told of a failure; nothing of our network. */
  public static String words(@Nullable Throwable fault) {
    return switch (fault) {
      case BlockedAddressException _ -> "blocked address";
      case UnknownHostException _ -> "host not found";
      case SocketTimeoutException _ -> "timed out";
      case SSLException _ -> "TLS failed";
      case null, default -> "connection failed";
    };
  }

  @Override
  public void close() {
    http.close(CloseMode.IMMEDIATE);
  }

  private static PoolingHttpClientConnectionManager connections(
      EgressPolicy policy, Limits limits) {
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
                .setConnectTimeout(Timeout.of(limits.connect()))
                .setSocketTimeout(Timeout.of(limits.silence()))
                .build())
        .setMaxConnTotal(limits.connections())
        .setMaxConnPerRoute(limits.connections())
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
