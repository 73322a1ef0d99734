package dev.errand.chaos;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The counterpart of a Kubernetes Service: one address that distributes connections to the ready
 * pods in turn. A connection stays with its pod until it ends, even if the pod is no longer ready.
 */
final class ServiceAddress implements AutoCloseable {

  private final ServerSocket listener;
  private final List<Integer> ready = new CopyOnWriteArrayList<>();
  private final AtomicInteger turn = new AtomicInteger();

  ServiceAddress() throws IOException {
    this.listener = new ServerSocket(0, 500, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().name("service-accept").start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  /** Adds a pod, which then gets its share of new connections. Idempotent. */
  void add(int port) {
    if (!ready.contains(port)) {
      ready.add(port);
    }
  }

  void remove(int port) {
    ready.remove((Integer) port);
  }

  boolean has(int port) {
    return ready.contains(port);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        var client = listener.accept();
        Thread.ofVirtual().start(() -> serve(client));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket client) {
    try (client;
        var pod = connect()) {
      client.setTcpNoDelay(true);
      pod.setTcpNoDelay(true);
      var requests = Thread.ofVirtual().start(() -> pump(client, pod));
      pump(pod, client);
      requests.join();
    } catch (IOException refused) {
      // The client detects that its connection is closed.
    } catch (InterruptedException exception) {
      Thread.currentThread().interrupt();
    }
  }

  private Socket connect() throws IOException {
    var pods = List.copyOf(ready);
    if (pods.isEmpty()) {
      throw new IOException("no pod is ready");
    }
    var port = pods.get(Math.floorMod(turn.getAndIncrement(), pods.size()));
    return new Socket(InetAddress.getLoopbackAddress(), port);
  }

  /** Forwards data; the end of one side ends the other, and a cut closes both. */
  private static void pump(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
      to.shutdownOutput();
    } catch (IOException exception) {
      close(from);
      close(to);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException ignored) {
      // The socket is closed in any case.
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
