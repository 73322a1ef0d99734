package dev.errand.chaos;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a Service is in Kubernetes: one address, and behind it the pods that are ready. A connection
 * goes to one of them in turn and stays there to its end, whatever becomes of the pod.
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

  /** From now on it gets its share of new connections; said twice, it has one share. */
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
      // The client sees that its connection is closed.
    } catch (InterruptedException stopped) {
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

  /** What one side ends, the other sees ended; what is cut, is cut. */
  private static void pump(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
      to.shutdownOutput();
    } catch (IOException cut) {
      close(from);
      close(to);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException gone) {
      // it is what was wanted
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
