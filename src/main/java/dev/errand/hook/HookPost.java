package dev.errand.hook;

import dev.errand.egress.CheckedHttp;
import dev.errand.egress.EgressPolicy;
import dev.errand.egress.EgressRules;
import dev.errand.egress.HostResolver;
import dev.errand.egress.HttpLimits;
import dev.errand.egress.ProxyUse;
import dev.errand.hook.HookCaller.HookReply;
import dev.errand.trace.TraceContext;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.StringEntity;

/** Posts an event to an endpoint, signed as Standard Webhooks specifies. */
@Singleton
class HookPost {

  /** The operator chose the addresses, so private ones are allowed. */
  static final EgressPolicy EGRESS =
      new EgressPolicy(HostResolver.SYSTEM, new EgressRules(false, true));

  private static final int MOST_READ = 64 << 10;
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration SILENCE = Duration.ofMinutes(10);
  private static final int CONNECTIONS = 10_000;

  private final Clock clock;
  private final CheckedHttp http;

  HookPost(Clock clock) {
    this.clock = clock;
    this.http =
        new CheckedHttp(EGRESS, new HttpLimits(CONNECT, SILENCE, CONNECTIONS), ProxyUse.BY_PROXY);
  }

  HookReply post(HookTarget.UrlTarget target, String id, String body, Duration within)
      throws InterruptedException {
    try {
      return http.exchange(request(target, id, body), within, HookPost::reply);
    } catch (SocketTimeoutException late) {
      return new HookReply.NoReply("did not answer in time", true);
    } catch (IOException fault) {
      return HookReply.NoReply.of("cannot be reached: " + CheckedHttp.reason(fault));
    }
  }

  private HttpPost request(HookTarget.UrlTarget target, String id, String body) {
    var timestamp = clock.instant().getEpochSecond();
    var request = new HttpPost(target.url());
    request.setHeader("webhook-id", id);
    request.setHeader("webhook-timestamp", Long.toString(timestamp));
    var secret = target.secret();
    if (secret != null) {
      request.setHeader("webhook-signature", secret.sign(id, timestamp, body));
    }
    Optional.ofNullable(TraceContext.current())
        .ifPresent(here -> request.setHeader("traceparent", here));
    request.setEntity(new StringEntity(body, ContentType.APPLICATION_JSON));
    return request;
  }

  private static HookReply reply(ClassicHttpResponse response) throws IOException {
    var entity = response.getEntity();
    var body = entity == null ? new byte[0] : entity.getContent().readNBytes(MOST_READ);
    return response.getCode() / 100 == 2
        ? new HookReply.Answered(new String(body, StandardCharsets.UTF_8))
        : HookReply.NoReply.of("answered with HTTP " + response.getCode());
  }

  @PreDestroy
  void close() {
    http.close();
  }
}
