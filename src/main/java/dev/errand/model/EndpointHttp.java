package dev.errand.model;

import dev.errand.egress.EgressPolicy.BlockedAddressException;
import dev.errand.egress.Proxies;
import dev.errand.egress.TlsFault;
import dev.errand.model.ModelException.Code;
import dev.errand.model.TimedBody.Timeouts;
import dev.errand.trace.TraceContext;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Posts requests to an endpoint. Everything is read on the calling thread, streams included, so
 * that an interrupt ends a call, and every fault is a {@link ModelException}.
 */
final class EndpointHttp {

  private static final int MAX_ERROR_BYTES = 16 << 10;

  /** How the client of the JDK reports the status with which a proxy refuses a connection. */
  private static final Pattern NO_TUNNEL = Pattern.compile("^Tunnel failed, got: (\\d+)$");

  private final HttpClient http;
  private final Endpoint endpoint;
  private final ModelConfig config;
  private final EndpointGates gates;
  private final TenantEndpoints tenants;
  private final long maxAnswerBytes;

  /**
   * @param body read while it arrives
   */
  record Response(int status, HttpHeaders headers, TimedBody body) {

    boolean isSuccess() {
      return status / 100 == 2;
    }
  }

  /**
   * The body and headers of a post.
   *
   * @param call what is added to the base URL
   */
  record Post(String call, Map<String, String> headers, JsonPublisher body) {}

  EndpointHttp(
      HttpClient http,
      Endpoint endpoint,
      ModelConfig config,
      EndpointGates gates,
      TenantEndpoints tenants,
      long maxAnswerBytes) {
    this.tenants = tenants;
    this.http = http;
    this.endpoint = endpoint;
    this.config = config;
    this.gates = gates;
    this.maxAnswerBytes = maxAnswerBytes;
  }

  /**
   * Sends a request, and returns when the answer begins, whatever its status.
   *
   * @throws ModelException no answer has begun
   */
  Response send(Post post) {
    var timeouts = post.body().isStream() ? Timeouts.streamed(config) : Timeouts.whole(config);
    // Most bytes of an event are not text.
    var body = new TimedBody(endpoint, timeouts, 2 * maxAnswerBytes);
    try {
      var response = send(post, timeouts, body);
      gates.answered(endpoint, response.headers());
      return response;
    } catch (HttpConnectTimeoutException late) {
      throw endpoint.fault(
          Code.MODEL_TIMEOUT,
          "did not accept a connection" + within(config.connectTimeout()),
          late);
    } catch (HttpTimeoutException late) {
      throw endpoint.fault(
          Code.MODEL_TIMEOUT, "did not answer" + within(timeouts.firstByte()), late);
    } catch (BlockedAddressException blocked) {
      throw endpoint.fault(
          Code.MODEL_NOT_CONFIGURED, "must not be called: its address is private.", blocked);
    } catch (ConnectException | UnknownHostException unreachable) {
      throw endpoint.fault(
          Code.MODEL_UNREACHABLE,
          "cannot be reached%s.".formatted(Proxies.way(endpoint.baseUrl())),
          unreachable);
    } catch (IOException broken) {
      throw body.announced() ? body.brokenOff(broken) : unanswered(broken);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw endpoint.fault(
          Code.MODEL_INTERRUPTED, "was called, but the call was interrupted.", interrupted);
    }
  }

  /** No answer has begun. */
  private ModelException unanswered(IOException broken) {
    var tls = TlsFault.in(broken);
    if (tls.isPresent()) {
      return endpoint.fault(
          Code.MODEL_TLS_FAILED,
          "cannot be called: %s%s.".formatted(tls.get().reason(), tls.get().remedy()),
          broken);
    }
    var tunnel = NO_TUNNEL.matcher(String.valueOf(broken.getMessage()));
    return tunnel.find()
        ? endpoint.fault(
            Code.MODEL_UNREACHABLE,
            "cannot be reached%s, which answered %s."
                .formatted(Proxies.way(endpoint.baseUrl()), tunnel.group(1)),
            broken)
        : endpoint.fault(
            Code.MODEL_UNREACHABLE, "closed the connection without an answer.", broken);
  }

  /** Only an address that a tenant gave is checked. */
  private Response send(Post post, Timeouts timeouts, TimedBody body)
      throws IOException, InterruptedException {
    var outgoing = outgoing(post, timeouts);
    if (endpoint.own() != null && endpoint.own().baseUrl() != null) {
      var answer = tenants.send(endpoint, outgoing, post.body(), body, timeouts);
      return new Response(answer.status(), answer.headers(), body);
    }
    var answer = http.send(outgoing, body);
    return new Response(answer.statusCode(), answer.headers(), body);
  }

  private HttpRequest outgoing(Post post, Timeouts timeouts) {
    var outgoing =
        HttpRequest.newBuilder(endpoint.target(endpoint.address() + post.call()))
            .timeout(timeouts.firstByte())
            .header("Content-Type", "application/json")
            .POST(post.body());
    post.headers().forEach((name, value) -> add(outgoing, name, value));
    Proxies.authorization(endpoint.baseUrl())
        .ifPresent(login -> outgoing.setHeader("Proxy-Authorization", login));
    Optional.ofNullable(TraceContext.current())
        .ifPresent(here -> outgoing.setHeader("traceparent", here));
    return outgoing.build();
  }

  private void add(HttpRequest.Builder outgoing, String name, String value) {
    try {
      outgoing.header(name, value);
    } catch (IllegalArgumentException _) {
      // Without the cause, because its message quotes the value, which may be the key.
      throw endpoint.fault(
          Code.MODEL_NOT_CONFIGURED,
          "cannot be called: its key is not a valid header %s.".formatted(name));
    }
  }

  /**
   * Returns the body of a refusal, as far as it arrives. A proxy that refuses a tunnel with 407 has
   * none; a wait for it would not end.
   */
  static byte[] explanation(Response response) {
    if (response.status() == RefusalKind.PROXY_LOGIN) {
      response.body().close();
      return new byte[0];
    }
    return explanation(response.body());
  }

  /** The status is used even if its explanation does not arrive. */
  private static byte[] explanation(TimedBody body) {
    try (body) {
      return body.readNBytes(MAX_ERROR_BYTES);
    } catch (IOException impossible) {
      throw new IllegalStateException("a timed body throws only model exceptions", impossible);
    } catch (ModelException cut) {
      if (cut.code() == Code.MODEL_INTERRUPTED) {
        throw cut;
      }
      return new byte[0];
    }
  }

  private static String within(Duration limit) {
    return " within %d ms.".formatted(limit.toMillis());
  }
}
