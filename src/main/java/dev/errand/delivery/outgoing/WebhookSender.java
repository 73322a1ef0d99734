package dev.errand.delivery.outgoing;

import dev.errand.egress.CheckedHttp;
import dev.errand.egress.HttpLimits;
import dev.errand.egress.ProxyUse;
import dev.errand.egress.RetryAfter;
import dev.errand.egress.UrlVerdict;
import dev.errand.outbox.Callback;
import dev.errand.trace.TraceContext;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.http.HttpHeaders;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.jspecify.annotations.Nullable;

/**
 * Makes one attempt to post a message, signed as Standard Webhooks specifies, within a time that a
 * receiver cannot extend. Its error texts contain nothing about our network.
 */
@Singleton
class WebhookSender {

  private static final int MOST_READ = 4 << 10;
  private static final int GONE = 410;
  private static final Set<Integer> MAY_NAME_A_TIME = Set.of(429, 503);

  private final WebhookConfig config;
  private final WebhookAddresses addresses;
  private final Clock clock;
  private final CheckedHttp http;

  WebhookSender(WebhookConfig config, WebhookAddresses addresses, Clock clock) {
    this.config = config;
    this.addresses = addresses;
    this.clock = clock;
    // Twice as many connections as posts: one that timed out may not be closed yet.
    this.http =
        new CheckedHttp(
            addresses.policy(),
            new HttpLimits(
                config.connectTimeout(), config.totalTimeout(), 2 * config.concurrency()),
            config.proxy() ? ProxyUse.BY_PROXY : ProxyUse.DIRECT);
  }

  /**
   * @param id the same for each attempt
   */
  PostOutcome post(Callback callback, String id, String body) {
    if (!(addresses.policy().shape(callback.url().toString()) instanceof UrlVerdict.Allowed)) {
      return PostOutcome.PostFailed.of("blocked address");
    }
    var request = request(callback, id, body);
    var seen = new AtomicReference<@Nullable PostOutcome>();
    try {
      return http.exchange(request, config.totalTimeout(), response -> end(response, seen));
    } catch (SocketTimeoutException late) {
      return Objects.requireNonNullElse(seen.get(), failed(late));
    } catch (IOException fault) {
      return failed(fault);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return PostOutcome.PostFailed.of("interrupted");
    }
  }

  private HttpPost request(Callback callback, String id, String body) {
    var timestamp = clock.instant().getEpochSecond();
    var request = new HttpPost(callback.url());
    request.setHeader("webhook-id", id);
    request.setHeader("webhook-timestamp", Long.toString(timestamp));
    request.setHeader("webhook-signature", callback.secret().sign(id, timestamp, body));
    Optional.ofNullable(TraceContext.current())
        .ifPresent(here -> request.setHeader("traceparent", here));
    request.setEntity(new StringEntity(body, ContentType.APPLICATION_JSON));
    return request;
  }

  /**
   * @param seen gets the outcome as soon as there is a status, independent of the body
   */
  private static PostOutcome end(
      ClassicHttpResponse response, AtomicReference<@Nullable PostOutcome> seen) {
    var end = end(response);
    seen.set(end);
    readLittle(response);
    return end;
  }

  private static PostOutcome end(ClassicHttpResponse response) {
    var status = response.getCode();
    if (status / 100 == 2) {
      return new PostOutcome.PostAccepted();
    }
    if (status == GONE) {
      return new PostOutcome.Gone();
    }
    var wait =
        MAY_NAME_A_TIME.contains(status)
            ? RetryAfter.in(headers(response)).orElse(Duration.ZERO)
            : Duration.ZERO;
    return new PostOutcome.PostFailed("HTTP " + status, wait);
  }

  private static HttpHeaders headers(ClassicHttpResponse response) {
    return HttpHeaders.of(
        Arrays.stream(response.getHeaders())
            .filter(header -> Set.of("retry-after", "date").contains(lower(header)))
            .collect(
                Collectors.toMap(
                    WebhookSender::lower,
                    header -> List.of(header.getValue()),
                    (first, _) -> first)),
        (_, _) -> true);
  }

  private static String lower(Header header) {
    return header.getName().toLowerCase(Locale.ROOT);
  }

  /** Reads a short answer to its end, so that the receiver is not cut off. */
  private static void readLittle(ClassicHttpResponse response) {
    try {
      if (response.getEntity() != null) {
        var _ = response.getEntity().getContent().readNBytes(MOST_READ);
      }
    } catch (IOException _) {
      // The status is sufficient.
    }
  }

  private static PostOutcome.PostFailed failed(IOException fault) {
    return PostOutcome.PostFailed.of(CheckedHttp.reason(fault));
  }

  @PreDestroy
  void close() {
    http.close();
  }

  /** The outcome of an attempt to post. */
  sealed interface PostOutcome {

    /** The receiver accepted the post. */
    record PostAccepted() implements PostOutcome {}

    /** The receiver wants no further posts (410). */
    record Gone() implements PostOutcome {}

    /**
     * The attempt failed.
     *
     * @param error the text for operators and owners of sessions
     * @param notBefore the wait that the receiver asks for; zero when it asks for none
     */
    record PostFailed(String error, Duration notBefore) implements PostOutcome {

      static PostFailed of(String error) {
        return new PostFailed(error, Duration.ZERO);
      }
    }
  }
}
