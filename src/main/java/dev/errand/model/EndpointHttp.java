package dev.errand.model;

import dev.errand.model.ModelException.Code;
import dev.errand.trace.TraceContext;
import dev.langchain4j.http.client.HttpClient;
import dev.langchain4j.http.client.HttpRequest;
import dev.langchain4j.http.client.SuccessfulHttpResponse;
import dev.langchain4j.http.client.sse.ServerSentEventListener;
import dev.langchain4j.http.client.sse.ServerSentEventParser;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Optional;

/**
 * HTTP to one endpoint, for langchain4j's models. Takes the place of its own client because that
 * one shows no response headers ({@code Retry-After}), bounds no pause within a stream, and reads
 * streams on a thread that an interrupt of the caller does not reach. Here everything, a stream
 * too, is read on the calling thread, and every fault is a {@link ModelException}.
 */
final class EndpointHttp implements HttpClient {

  private static final int LARGEST_ANSWER = 32 << 20;
  private static final int LARGEST_ERROR = 16 << 10;

  private final java.net.http.HttpClient http;
  private final Endpoint endpoint;
  private final ModelConfig config;

  EndpointHttp(java.net.http.HttpClient http, Endpoint endpoint, ModelConfig config) {
    this.http = http;
    this.endpoint = endpoint;
    this.config = config;
  }

  @Override
  public SuccessfulHttpResponse execute(HttpRequest request) {
    try {
      return whole(request);
    } catch (ModelException fault) {
      throw new OpaqueModelException(fault);
    }
  }

  /** Unlike what the interface says, returns when the stream has ended. */
  @Override
  public void execute(
      HttpRequest request, ServerSentEventParser parser, ServerSentEventListener listener) {
    var response = send(request, Timeouts.streamed(config));
    var whole = new WholeStreamListener(endpoint, listener);
    try (var body = response.body()) {
      whole.onOpen(
          SuccessfulHttpResponse.builder()
              .statusCode(response.statusCode())
              .headers(response.headers().map())
              .build());
      parser.parse(body, whole);
      whole.onClose();
    }
  }

  private SuccessfulHttpResponse whole(HttpRequest request) {
    var response = send(request, Timeouts.whole(config));
    try (var body = response.body()) {
      return SuccessfulHttpResponse.builder()
          .statusCode(response.statusCode())
          .headers(response.headers().map())
          .body(read(body, LARGEST_ANSWER))
          .build();
    }
  }

  private HttpResponse<TimedBody> send(HttpRequest request, Timeouts patience) {
    var answer = new TimedBody(endpoint, patience);
    try {
      var response = http.send(outgoing(request, patience), answer);
      if (response.statusCode() / 100 == 2) {
        return response;
      }
      throw refusal(response);
    } catch (HttpConnectTimeoutException late) {
      throw endpoint.fault(
          Code.MODEL_TIMEOUT, "took no connection" + within(config.connectTimeout()), late);
    } catch (HttpTimeoutException late) {
      throw endpoint.fault(
          Code.MODEL_TIMEOUT, "did not answer" + within(patience.firstByte()), late);
    } catch (ConnectException unreachable) {
      throw endpoint.fault(Code.MODEL_UNREACHABLE, "cannot be reached.", unreachable);
    } catch (IOException broken) {
      if (answer.announced()) {
        throw answer.brokenOff(broken);
      }
      throw endpoint.fault(Code.MODEL_UNREACHABLE, "closed the connection unanswered.", broken);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw endpoint.fault(Code.MODEL_INTERRUPTED, "was left: interrupted.", interrupted);
    }
  }

  private java.net.http.HttpRequest outgoing(HttpRequest request, Timeouts patience) {
    var body = Optional.ofNullable(request.body());
    var outgoing =
        java.net.http.HttpRequest.newBuilder(URI.create(request.url()))
            .timeout(patience.firstByte())
            .method(
                request.method().name(),
                body.map(BodyPublishers::ofString).orElseGet(BodyPublishers::noBody));
    request
        .headers()
        .forEach((name, values) -> values.forEach(value -> add(outgoing, name, value)));
    Optional.ofNullable(TraceContext.current())
        .ifPresent(here -> outgoing.setHeader("traceparent", here));
    return outgoing.build();
  }

  private void add(java.net.http.HttpRequest.Builder outgoing, String name, String value) {
    try {
      outgoing.header(name, value);
    } catch (IllegalArgumentException _) {
      // Without the cause: its message quotes the value, which may be the key.
      throw endpoint.fault(
          Code.MODEL_NOT_CONFIGURED, "cannot be called: its key is no valid %s.".formatted(name));
    }
  }

  private ModelException refusal(HttpResponse<TimedBody> response) {
    return Refusal.read(
        endpoint, response.statusCode(), response.headers(), explanation(response.body()));
  }

  /** The status counts even when the words that explain it do not come. */
  private static byte[] explanation(TimedBody body) {
    try (body) {
      return read(body, LARGEST_ERROR);
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
      throw new IllegalStateException("a timed body throws model exceptions only", impossible);
    }
  }
}
