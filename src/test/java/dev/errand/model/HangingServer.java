package dev.errand.model;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;

/** Accepts one request, sends the given text, and then nothing more. */
final class HangingServer implements AutoCloseable {

  private final ServerSocket server;
  private final CountDownLatch hanging = new CountDownLatch(1);

  HangingServer(String says) throws IOException {
    server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(() -> serve(says));
  }

  /** Creates a server that hangs in the middle of an answer of this type. */
  static HangingServer after(String contentType, String body) throws IOException {
    return new HangingServer(
        "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: 100000\r\n\r\n%s"
            .formatted(contentType, body));
  }

  String url() {
    return "http://localhost:" + server.getLocalPort();
  }

  void awaitHanging() throws InterruptedException {
    hanging.await();
  }

  @Override
  public void close() throws IOException {
    server.close();
  }

  private void serve(String says) {
    try (Socket client = server.accept()) {
      client.getInputStream().read();
      client.getOutputStream().write(says.getBytes(StandardCharsets.UTF_8));
      client.getOutputStream().flush();
      hanging.countDown();
      while (client.getInputStream().read() >= 0) {}
    } catch (IOException gone) {
      if (!server.isClosed()) {
        throw new UncheckedIOException(gone);
      }
    }
  }
}
