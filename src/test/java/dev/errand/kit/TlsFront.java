package dev.errand.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/** Ends TLS before a server that speaks HTTP only. */
public final class TlsFront implements AutoCloseable {

  private final SSLServerSocket server;
  private final int behind;
  private final AtomicInteger handshakes = new AtomicInteger();

  private TlsFront(int behind, SSLContext tls) throws IOException {
    this.behind = behind;
    this.server =
        (SSLServerSocket)
            tls.getServerSocketFactory()
                .createServerSocket(0, 100, InetAddress.getLoopbackAddress());
    Thread.startVirtualThread(this::accept);
  }

  /**
   * @param url of the server, with its port
   */
  public static TlsFront before(String url, Certificates by, Certificates.Kind kind) {
    try {
      return new TlsFront(URI.create(url).getPort(), by.server(kind));
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  /** One with a valid certificate. */
  public static TlsFront before(String url, Certificates by) {
    return before(url, by, Certificates.Kind.VALID);
  }

  public int port() {
    return server.getLocalPort();
  }

  /** The same URL with https at this front. */
  public String of(String url) {
    var path = URI.create(url).getRawPath();
    return "https://127.0.0.1:" + port() + path;
  }

  /** The connections that have exchanged something. */
  public int handshakes() {
    return handshakes.get();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        var client = server.accept();
        Thread.startVirtualThread(() -> serve(client));
      } catch (IOException closed) {
        // The loop ends.
      }
    }
  }

  private void serve(Socket client) {
    try {
      ((SSLSocket) client).startHandshake();
      handshakes.incrementAndGet();
      Relay.between(client, new Socket(InetAddress.getLoopbackAddress(), behind));
    } catch (IOException refused) {
      close(client);
    }
  }

  private static void close(Socket client) {
    try {
      client.close();
    } catch (IOException closed) {
      // It is closed.
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
