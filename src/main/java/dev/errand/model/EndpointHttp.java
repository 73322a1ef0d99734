package dev.errand.model;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.errand.egress.EgressPolicy.BlockedAddressException;
import dev.errand.egress.Proxies;
import dev.errand.egress.TlsFault;
import dev.errand.model.ModelException.Code;
import dev.errand.model.ModelException.OpaqueModelException;
import dev.errand.model.TimedBody.Timeouts;
import dev.errand.trace.TraceContext;
import dev.langchain4j.http.client.HttpClient;
import dev.langchain4j.http.client.HttpRequest;
import dev.langchain4j.http.client.SuccessfulHttpResponse;
import dev.langchain4j.http.client.sse.ServerSentEventListener;
import dev.langchain4j.http.client.sse.ServerSentEventParser;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The HTTP client for one endpoint. Replaces the client of langchain4j, which hides response
 * headers ({@code Retry-After}), does not limit pauses in a stream, and reads streams on a thread
 * that an interrupt of the caller does not reach. This client reads everything, streams included,
 * on the calling thread, and every fault is a {@link ModelException}.
 */
final class EndpointHttp implements HttpClient {

  private static final int MAX_ERROR_BYTES = 16 << 10;

  /** How the client of the JDK reports the status with which a proxy refuses a connection. */
  private static final Pattern NO_TUNNEL = Pattern.compile("^Tunnel failed, got: (\\d+)$");

  private final java.net.http.HttpClient http;
  private final Endpoint endpoint;
  private final ModelConfig config;
  private final EndpointGates gates;
  private final TenantEndpoints tenants;
  private final int maxAnswerBytes;

  /**
   * @param body read while it arrives
   */
  private record Response(int status, HttpHeaders headers, TimedBody body) {}

  EndpointHttp(
      java.net.http.HttpClient http,
      Endpoint endpoint,
      ModelConfig config,
      EndpointGates gates,
      TenantEndpoints tenants,
      int maxAnswerBytes) {
    this.tenants = tenants;
    this.http = http;
    this.endpoint = endpoint;
    this.config = config;
    this.gates = gates;
    this.maxAnswerBytes = maxAnswerBytes;
  }

  @Override
  public SuccessfulHttpResponse execute(HttpRequest request) {
    try {
      return whole(request);
    } catch (ModelException fault) {
      throw new OpaqueModelException(fault);
    }
  }

  /** Unlike the interface requires, returns only after the stream has ended. */
  @Override
  public void execute(
      HttpRequest request, ServerSentEventParser parser, ServerSentEventListener listener) {
    // Most bytes of an event are not text.
    var response = send(request, Timeouts.streamed(config), 2L * maxAnswerBytes);
    var whole = new WholeStreamListener(endpoint, response.headers(), listener);
    try (var body = response.body()) {
      whole.onOpen(
          SuccessfulHttpResponse.builder()
              .statusCode(response.status())
              .headers(response.headers().map())
              .build());
      parser.parse(body, whole);
      whole.onClose();
    }
  }

  private SuccessfulHttpResponse whole(HttpRequest request) {
    var response = send(request, Timeouts.whole(config), maxAnswerBytes);
    try (var body = response.body()) {
      return SuccessfulHttpResponse.builder()
          .statusCode(response.status())
          .headers(response.headers().map())
          .body(AnswerBody.checked(endpoint, response.headers(), read(body, Integer.MAX_VALUE)))
          .build();
    }
  }

  private Response send(HttpRequest request, Timeouts timeouts, long maxBytes) {
    var body = new TimedBody(endpoint, timeouts, maxBytes);
    try {
      var response = send(request, timeouts, body);
      gates.answered(endpoint, response.headers());
      if (response.status() / 100 == 2) {
        return response;
      }
      throw refusal(response);
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
  private Response send(HttpRequest request, Timeouts timeouts, TimedBody body)
      throws IOException, InterruptedException {
    var text = Optional.ofNullable(request.body()).map(CallMetadata::withExtraContent).orElse("");
    var outgoing = outgoing(request, text, timeouts);
    if (endpoint.own() != null && endpoint.own().baseUrl() != null) {
      var answer = tenants.send(endpoint, outgoing, text, body, timeouts);
      return new Response(answer.status(), answer.headers(), body);
    }
    var answer = http.send(outgoing, body);
    return new Response(answer.statusCode(), answer.headers(), body);
  }

  private java.net.http.HttpRequest outgoing(HttpRequest request, String text, Timeouts timeouts) {
    var outgoing =
        java.net.http.HttpRequest.newBuilder(endpoint.target(request.url()))
            .timeout(timeouts.firstByte())
            .method(request.method().name(), text.isEmpty() ? BodyPublishers.noBody() : body(text));
    request
        .headers()
        .forEach((name, values) -> values.forEach(value -> add(outgoing, name, value)));
    Proxies.authorization(endpoint.baseUrl())
        .ifPresent(login -> outgoing.setHeader("Proxy-Authorization", login));
    Optional.ofNullable(TraceContext.current())
        .ifPresent(here -> outgoing.setHeader("traceparent", here));
    return outgoing.build();
  }

  /** Encodes the text while it is sent, so that no copy is kept while the endpoint answers. */
  private static BodyPublisher body(String text) {
    Iterable<byte[]> bytes = () -> Stream.of(text).map(all -> all.getBytes(UTF_8)).iterator();
    return BodyPublishers.fromPublisher(
        BodyPublishers.ofByteArrays(bytes), text.getBytes(UTF_8).length);
  }

  private void add(java.net.http.HttpRequest.Builder outgoing, String name, String value) {
    try {
      outgoing.header(name, value);
    } catch (IllegalArgumentException _) {
      // Without the cause, because its message quotes the value, which may be the key.
      throw endpoint.fault(
          Code.MODEL_NOT_CONFIGURED,
          "cannot be called: its key is not a valid header %s.".formatted(name));
    }
  }

  /** A proxy that refuses a tunnel with 407 has no body; a wait for it would not end. */
  private ModelException refusal(Response response) {
    var isOfProxy = response.status() == Refusal.PROXY_LOGIN;
    if (isOfProxy) {
      response.body().close();
    }
    var text = isOfProxy ? new byte[0] : explanation(response.body());
    return Refusal.read(endpoint, response.status(), response.headers(), text);
  }

  /** The status is used even if its explanation does not arrive. */
  private static byte[] explanation(TimedBody body) {
    try (body) {
      return read(body, MAX_ERROR_BYTES);
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

  private static byte[] read(TimedBody body, int limit) {
    try {
      return body.readNBytes(limit);
    } catch (IOException impossible) {
      throw new IllegalStateException("a timed body throws only model exceptions", impossible);
    }
  }
}
