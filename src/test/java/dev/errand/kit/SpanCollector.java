package dev.errand.kit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An OpenTelemetry collector that receives spans over OTLP (HTTP with protobuf) and stores them.
 */
public final class SpanCollector implements AutoCloseable {

  private final HttpServer server;
  private final List<TracedSpan> spans = new CopyOnWriteArrayList<>();
  private final AtomicBoolean closed = new AtomicBoolean();

  private SpanCollector() throws IOException {
    this.server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/v1/traces", this::receive);
    server.start();
  }

  public static SpanCollector start() throws IOException {
    return new SpanCollector();
  }

  /**
   * Adds variables to an environment that make the service export spans to this collector every 100
   * ms.
   */
  public Map<String, String> with(Map<String, String> environment) {
    var all = new HashMap<>(environment);
    all.put("OTEL_EXPORTER_OTLP_ENDPOINT", url());
    all.put("QUARKUS_OTEL_BSP_SCHEDULE_DELAY", "100ms");
    return all;
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** All spans received so far. */
  public List<TracedSpan> spans() {
    return List.copyOf(spans);
  }

  /** The spans of one trace received so far, in the order of their start times. */
  public List<TracedSpan> trace(String traceId) {
    return spans.stream()
        .filter(span -> span.traceId().equals(traceId))
        .sorted(Comparator.comparing(TracedSpan::startedAt))
        .toList();
  }

  private void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      var request = ExportTraceServiceRequest.parseFrom(exchange.getRequestBody());
      request.getResourceSpansList().stream()
          .flatMap(resource -> resource.getScopeSpansList().stream())
          .flatMap(scope -> scope.getSpansList().stream())
          .map(TracedSpan::of)
          .forEach(spans::add);
      var answer = ExportTraceServiceResponse.getDefaultInstance().toByteArray();
      exchange.getResponseHeaders().add("Content-Type", "application/x-protobuf");
      exchange.sendResponseHeaders(200, answer.length == 0 ? -1 : answer.length);
      exchange.getResponseBody().write(answer);
    }
  }

  /** From now on the collector is unreachable. Idempotent. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      server.stop(0);
    }
  }
}
