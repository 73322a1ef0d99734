package dev.errand.tool.web;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A server on all addresses of this machine that sends the exact bytes of a test. */
final class OddSite implements AutoCloseable {

  private final ServerSocket socket;
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final AtomicInteger connections = new AtomicInteger();

  OddSite() {
    try {
      socket = new ServerSocket(0, 50);
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
    Thread.ofVirtual().start(this::accept);
  }

  /** Writes an answer with its head and body. */
  interface Answer {
    void write(OutputStream out) throws IOException, InterruptedException;
  }

  int port() {
    return socket.getLocalPort();
  }

  String url(String host, String path) {
    return "http://%s:%d%s".formatted(host, port(), path);
  }

  OddSite on(String path, Answer answer) {
    answers.put(path, answer);
    return this;
  }

  OddSite page(String path, String type, byte[] body) {
    return on(
        path,
        out -> {
          out.write(head("200 OK", "Content-Type: " + type, "Content-Length: " + body.length));
          out.write(body);
        });
  }

  OddSite page(String path, String type, String body) {
    return page(path, type, body.getBytes(StandardCharsets.UTF_8));
  }

  OddSite redirect(String path, int status, String location) {
    return on(
        path,
        out -> out.write(head(status + " Moved", "Location: " + location, "Content-Length: 0")));
  }

  static byte[] head(String status, String... headers) {
    var lines = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
    return ("HTTP/1.1 " + status + "\r\n" + lines + "\r\n").getBytes(StandardCharsets.UTF_8);
  }

  /** The requests so far, with their heads. */
  List<String> requests() {
    return List.copyOf(requests);
  }

  int connections() {
    return connections.get();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  private void accept() {
    try {
      while (true) {
        var connection = socket.accept();
        connections.incrementAndGet();
        Thread.ofVirtual().start(() -> serve(connection));
      }
    } catch (IOException closed) {
      // The test has ended.
    }
  }

  private void serve(Socket connection) {
    try (connection) {
      var in = new InputStreamReader(connection.getInputStream(), StandardCharsets.ISO_8859_1);
      var reader = new BufferedReader(in);
      var request = new StringBuilder();
      for (var line = reader.readLine();
          line != null && !line.isEmpty();
          line = reader.readLine()) {
        request.append(line).append('\n');
      }
      requests.add(request.toString());
      var path = request.toString().split(" ", 3)[1];
      var out = connection.getOutputStream();
      answers.getOrDefault(path, none -> none.write(head("404 Not Found"))).write(out);
      out.flush();
    } catch (IOException | InterruptedException gone) {
      // The client closed the connection.
    }
  }
}
