package dev.errand.tool.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The odd server over streamable HTTP. It greets like rmcp, with a stream that tells when to
 * reconnect, answers calls with an event stream and other requests with JSON.
 */
final class OddHttpServer implements AutoCloseable {

  private static final String TOKEN = "Bearer s3cret";

  private final OddServer odd = new OddServer("good", this::notifyListeners);
  private final List<OutputStream> listeners = new CopyOnWriteArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final HttpServer server;
  private final AtomicInteger lists = new AtomicInteger();
  private volatile String session = UUID.randomUUID().toString();
  private final CountDownLatch released = new CountDownLatch(1);
  private volatile boolean failsCalls;
  private volatile boolean failsLists;
  private volatile boolean waiting;
  private volatile @Nullable String cancelledIn;

  OddHttpServer(int port) {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/mcp", this::handle);
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  URI address() {
    return URI.create("http://127.0.0.1:" + port() + "/mcp");
  }

  boolean hasListener() {
    return !listeners.isEmpty();
  }

  /** Behaves like a server that was restarted: it does not know its sessions any more. */
  void forgetSessions() {
    session = UUID.randomUUID().toString();
  }

  /** Answers calls with a status that says nothing about the session. */
  void failCalls() {
    failsCalls = true;
  }

  /** Answers nothing else while a call waits. */
  void failLists() {
    failsLists = true;
  }

  boolean isWaiting() {
    return released.getCount() > 0 && waiting;
  }

  /** Lets the waiting call be answered. */
  void release() {
    released.countDown();
  }

  private void await() {
    waiting = true;
    try {
      released.await();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  /** The version of the protocol with which a call was last cancelled. */
  @Nullable String cancelledIn() {
    return cancelledIn;
  }

  /** How often the tools were listed. */
  int lists() {
    return lists.get();
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      var headers = exchange.getRequestHeaders();
      var known = headers.getFirst("Mcp-Session-Id");
      if (!TOKEN.equals(headers.getFirst("Authorization"))) {
        exchange.sendResponseHeaders(401, -1);
      } else if (known != null && !known.equals(session)) {
        exchange.sendResponseHeaders(404, -1);
      } else if (exchange.getRequestMethod().equals("GET")) {
        listen(exchange);
      } else if (exchange.getRequestMethod().equals("POST")) {
        post(exchange);
      } else {
        exchange.sendResponseHeaders(200, -1);
      }
    }
  }

  private void post(HttpExchange exchange) throws IOException {
    var message = (ObjectNode) OddServer.JSON.readTree(exchange.getRequestBody());
    var method = message.path("method").asText();
    if (method.equals("tools/list")) {
      lists.incrementAndGet();
    }
    if (method.equals("notifications/cancelled")) {
      cancelledIn = exchange.getRequestHeaders().getFirst("MCP-Protocol-Version");
    }
    var waits = message.at("/params/arguments/text").asText().equals("wait");
    if (waits) {
      await();
    } else if (failsCalls
        && List.of("tools/call", failsLists ? "tools/list" : "").contains(method)) {
      exchange.sendResponseHeaders(500, -1);
      return;
    }
    if (message.at("/params/name").asText().equals("work")) {
      work(exchange, message);
      return;
    }
    var answer = odd.answer(message);
    exchange.getResponseHeaders().add("Mcp-Session-Id", session);
    if (answer.isEmpty()) {
      exchange.sendResponseHeaders(202, -1);
    } else if (method.equals("initialize")) {
      send(exchange, "text/event-stream", "data:\nid: 0\nretry: 3000\n\n" + event(answer.get()));
    } else if (method.equals("tools/call")) {
      send(exchange, "text/event-stream", event(answer.get()));
    } else {
      send(exchange, "application/json", answer.get().toString());
    }
  }

  /** Sends reports of progress in the stream of the call. */
  private static void work(HttpExchange exchange, ObjectNode message) throws IOException {
    exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    var answer = new OddServer("good", notice -> write(exchange, notice)).answer(message);
    write(exchange, answer.orElseThrow());
  }

  private static void write(HttpExchange exchange, ObjectNode message) {
    try {
      exchange.getResponseBody().write(event(message).getBytes(StandardCharsets.UTF_8));
      exchange.getResponseBody().flush();
    } catch (IOException gone) {
      throw new UncheckedIOException(gone);
    }
  }

  private static void send(HttpExchange exchange, String type, String body) throws IOException {
    var bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", type);
    exchange.sendResponseHeaders(200, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  private void listen(HttpExchange exchange) throws IOException {
    exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    exchange.getResponseBody().write(": hello\n\n".getBytes(StandardCharsets.UTF_8));
    exchange.getResponseBody().flush();
    listeners.add(exchange.getResponseBody());
    try {
      closed.await();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private void notifyListeners(ObjectNode message) {
    try {
      for (var listener : listeners) {
        listener.write(event(message).getBytes(StandardCharsets.UTF_8));
        listener.flush();
      }
    } catch (IOException gone) {
      throw new UncheckedIOException(gone);
    }
  }

  private static String event(ObjectNode message) {
    return "event: message\ndata: " + message + "\n\n";
  }
}
