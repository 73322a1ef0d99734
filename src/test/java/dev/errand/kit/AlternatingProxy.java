package dev.errand.kit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A proxy that sends each request to another node than the one before, and to the next one when a
 * node does not listen. It passes on what nodes write as soon as they write it.
 */
public final class AlternatingProxy implements AutoCloseable {

  private static final Set<String> OF_CONNECTION =
      Set.of("host", "connection", "content-length", "transfer-encoding", "upgrade");

  private final List<Service> nodes;
  private final HttpServer server;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final AtomicInteger requests = new AtomicInteger();

  public AlternatingProxy(List<Service> nodes) throws IOException {
    this.nodes = List.copyOf(nodes);
    this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::pass);
    server.start();
  }

  public URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
  }

  private void pass(HttpExchange exchange) throws IOException {
    try (exchange) {
      var body = exchange.getRequestBody().readAllBytes();
      var answer = send(exchange, body);
      answer
          .headers()
          .map()
          .forEach((name, values) -> {
            if (isOfMessage(name)) {
              values.forEach(value -> exchange.getResponseHeaders().add(name, value));
            }
          });
      exchange.sendResponseHeaders(answer.statusCode(), 0);
      copy(answer.body(), exchange);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private HttpResponse<InputStream> send(HttpExchange exchange, byte[] body)
      throws IOException, InterruptedException {
    try {
      return http.send(request(exchange, body), BodyHandlers.ofInputStream());
    } catch (ConnectException dead) {
      return http.send(request(exchange, body), BodyHandlers.ofInputStream());
    }
  }

  private HttpRequest request(HttpExchange exchange, byte[] body) {
    var node = nodes.get(requests.getAndIncrement() % nodes.size());
    var request =
        HttpRequest.newBuilder(node.uri(exchange.getRequestURI().toString()))
            .method(exchange.getRequestMethod(), BodyPublishers.ofByteArray(body));
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> {
          if (isOfMessage(name)) {
            values.forEach(value -> request.header(name, value));
          }
        });
    return request.build();
  }

  private static boolean isOfMessage(String header) {
    var name = header.toLowerCase(Locale.ROOT);
    return !OF_CONNECTION.contains(name) && !name.startsWith(":");
  }

  private static void copy(InputStream from, HttpExchange exchange) throws IOException {
    var buffer = new byte[8192];
    try (from) {
      for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
        exchange.getResponseBody().write(buffer, 0, read);
        exchange.getResponseBody().flush();
      }
    }
  }

  @Override
  public void close() {
    server.stop(0);
    http.shutdownNow();
  }
}
