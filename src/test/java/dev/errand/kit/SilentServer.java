package dev.errand.kit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Accepts connections, sends the same bytes to each client that has said something, and is silent
 * then.
 */
public final class SilentServer implements AutoCloseable {

  private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final Queue<Socket> clients = new ConcurrentLinkedQueue<>();
  private final String answer;

  public SilentServer(String answer) throws IOException {
    this.answer = answer;
    Thread.ofVirtual().start(this::accept);
  }

  private void accept() {
    try {
      while (true) {
        var client = listening.accept();
        clients.add(client);
        Thread.ofVirtual().start(() -> answer(client));
      }
    } catch (IOException closed) {
      // the test has ended
    }
  }

  private void answer(Socket client) {
    try {
      if (client.getInputStream().read() >= 0) {
        client.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
      }
    } catch (IOException closed) {
      // the client has left
    }
  }

  /** The address of a database behind this server. */
  public String url() {
    return "jdbc:postgresql://127.0.0.1:" + listening.getLocalPort() + "/errand";
  }

  @Override
  public void close() throws IOException {
    listening.close();
    for (var client : clients) {
      client.close();
    }
  }
}
