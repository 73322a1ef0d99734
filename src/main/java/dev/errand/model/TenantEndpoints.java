package dev.errand.model;

import dev.errand.egress.CheckedHttp;
import dev.errand.egress.EgressPolicy;
import dev.errand.egress.EgressRules;
import dev.errand.egress.HostResolver;
import dev.errand.egress.HttpLimits;
import dev.errand.egress.ProxyUse;
import dev.errand.egress.UrlVerdict;
import dev.errand.model.ModelException.Code;
import dev.errand.model.TimedBody.Timeouts;
import dev.errand.setting.HttpUrl;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.EntityTemplate;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * The addresses that tenants give for their models: checked when they are given and at each call.
 * The service connects to the addresses of the same look-up that was checked.
 */
@Singleton
public class TenantEndpoints {

  private static final int CONNECTIONS = 4_096;
  private static final int CHUNK_BYTES = 16 << 10;

  /** Connections have longer limits than calls, so that those of the call decide. */
  private static final Duration LONGER = Duration.ofSeconds(5);

  private final EgressPolicy policy;
  private final CheckedHttp http;

  @Inject
  TenantEndpoints(
      ModelConfig config,
      @ConfigProperty(name = "errand.tenants.private-endpoints", defaultValue = "false")
          boolean allowPrivate) {
    this(config, allowPrivate, HostResolver.SYSTEM);
  }

  TenantEndpoints(ModelConfig config, boolean allowPrivate, HostResolver names) {
    this.policy = new EgressPolicy(names, new EgressRules(!allowPrivate, allowPrivate));
    this.http =
        new CheckedHttp(
            policy,
            new HttpLimits(
                config.connectTimeout(), config.totalTimeout().plus(LONGER), CONNECTIONS),
            ProxyUse.BY_PROXY);
  }

  /** Returns why an address must not be called, as the end of a sentence; empty if it may. */
  public Optional<String> problem(String text) {
    try {
      return problem(HttpUrl.read(text));
    } catch (IllegalArgumentException malformed) {
      return Optional.ofNullable(malformed.getMessage());
    }
  }

  private Optional<String> problem(URI url) {
    return switch (policy.judge(url.toString())) {
      case UrlVerdict.Allowed _ -> Optional.empty();
      case UrlVerdict.Malformed malformed -> Optional.of(malformed.reason());
      case UrlVerdict.Refused refused ->
          Optional.of(
              refused.reason()
                  + "; an operator can allow plain http and private addresses by"
                  + " errand.tenants.private-endpoints (ERRAND_TENANTS_PRIVATE_ENDPOINTS)");
    };
  }

  /** The beginning of an answer. */
  record EndpointAnswer(int status, HttpHeaders headers) {}

  /**
   * Sends a request to the address of a tenant, and returns when the answer begins.
   *
   * @param sent the body of the request
   * @param body gets the body of the answer while it arrives
   * @throws ModelException the address must not be called
   */
  EndpointAnswer send(
      Endpoint endpoint, HttpRequest request, JsonPublisher sent, TimedBody body, Timeouts limits)
      throws IOException, InterruptedException {
    if (!(policy.shape(request.uri().toString()) instanceof UrlVerdict.Allowed)) {
      throw endpoint.fault(
          Code.MODEL_NOT_CONFIGURED, "must not be called: its base_url is not allowed any more.");
    }
    var outgoing = new HttpUriRequestBase(request.method(), request.uri());
    request
        .headers()
        .map()
        .forEach((name, values) -> values.forEach(value -> outgoing.addHeader(name, value)));
    outgoing.setEntity(
        new EntityTemplate(
            sent.contentLength(), ContentType.APPLICATION_JSON, null, sent::writeTo));
    var begun = new CompletableFuture<EndpointAnswer>();
    Thread.ofVirtual()
        .name("model-exchange")
        .start(() -> exchange(outgoing, limits.total().plus(LONGER), body, begun));
    return await(begun, outgoing, limits.firstByte());
  }

  private static EndpointAnswer await(
      CompletableFuture<EndpointAnswer> begun, HttpUriRequestBase request, Duration limit)
      throws IOException, InterruptedException {
    try {
      return begun.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException _) {
      throw new HttpTimeoutException("no answer in time");
    } catch (ExecutionException broken) {
      throw broken.getCause() instanceof IOException fault ? fault : new IOException(broken);
    } finally {
      if (!begun.isDone()) {
        request.cancel();
      }
    }
  }

  private void exchange(
      HttpUriRequestBase request,
      Duration limit,
      TimedBody body,
      CompletableFuture<EndpointAnswer> begun) {
    try {
      var ignored = http.exchange(request, limit, answer -> read(answer, request, body, begun));
    } catch (IOException | InterruptedException | RuntimeException broken) {
      if (!begun.completeExceptionally(asOfJdk(broken))) {
        body.onError(broken);
      }
    }
  }

  private static Exception asOfJdk(Exception broken) {
    return switch (broken) {
      case ConnectTimeoutException _ -> new HttpConnectTimeoutException("no connection in time");
      case SocketTimeoutException _ -> new HttpTimeoutException("no answer in time");
      default -> broken;
    };
  }

  /** Passes the body on, at most two chunks ahead of its reader. */
  private static EndpointAnswer read(
      ClassicHttpResponse response,
      HttpUriRequestBase request,
      TimedBody body,
      CompletableFuture<EndpointAnswer> begun)
      throws IOException {
    var wanted = new Semaphore(0);
    body.onSubscribe(
        new Subscription() {
          @Override
          public void request(long chunks) {
            wanted.release(Math.toIntExact(chunks));
          }

          @Override
          public void cancel() {
            request.cancel();
            wanted.release();
          }
        });
    var answer = new EndpointAnswer(response.getCode(), headers(response));
    begun.complete(answer);
    if (response.getEntity() != null) {
      // Closing it would read the rest.
      var content = response.getEntity().getContent();
      var chunk = new byte[CHUNK_BYTES];
      for (int read = content.read(chunk); read >= 0; read = content.read(chunk)) {
        body.onNext(List.of(ByteBuffer.wrap(Arrays.copyOf(chunk, read))));
        awaitReader(wanted);
      }
    }
    body.onComplete();
    return answer;
  }

  private static void awaitReader(Semaphore wanted) throws InterruptedIOException {
    try {
      wanted.acquire();
    } catch (InterruptedException _) {
      throw new InterruptedIOException("the exchange has ended");
    }
  }

  private static HttpHeaders headers(ClassicHttpResponse response) {
    var headers = new HashMap<String, List<String>>();
    for (var header : response.getHeaders()) {
      if (header.getValue() != null) {
        headers
            .computeIfAbsent(header.getName().toLowerCase(Locale.ROOT), _ -> new ArrayList<>())
            .add(header.getValue());
      }
    }
    return HttpHeaders.of(headers, (_, _) -> true);
  }

  @PreDestroy
  void close() {
    http.close();
  }
}
