package dev.errand.kit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The counterpart of a Kubernetes Service: one address that distributes connections to the ready
 * pods in turn. A connection stays with its pod until it ends, even if the pod is no longer ready.
 * It can lose answers and cut connections.
 */
public final class ServiceAddress implements AutoCloseable {

  private final ServerSocket listener;
  private final List<Integer> ready = new CopyOnWriteArrayList<>();
  private final AtomicInteger accepted = new AtomicInteger();
  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
  private final AtomicReference<@Nullable Trap> trap = new AtomicReference<>();
  private volatile IntSupplier lengths = () -> Integer.MAX_VALUE;

  /** What happens to an answer. */
  public enum Fault {
    /** The connection ends before it. */
    LOST,
    /** The connection ends after its headers. */
    TORN,
    /** It does not come, and the connection stays open. */
    HELD
  }

  private record Trap(String request, Fault fault) {}

  /** A connection of a client with a pod. */
  private static final class Connection {

    private final Socket client;
    private final Socket pod;
    private final AtomicReference<@Nullable Fault> fault = new AtomicReference<>();
    private int left;

    private Connection(Socket client, Socket pod, int length) {
      this.client = client;
      this.pod = pod;
      this.left = length;
    }

    private void close() {
      for (var socket : List.of(client, pod)) {
        try {
          socket.close();
        } catch (IOException ignored) {
          // The socket is closed in any case.
        }
      }
    }

    /** Passes on a part of an answer, or as much of it as the client is to get. */
    private boolean answer(byte[] part, int length) throws IOException {
      var now = fault.get();
      if (now == Fault.HELD) {
        return true;
      }
      var head = new String(part, 0, length, ISO_8859_1).indexOf("\r\n\r\n") + 4;
      var passed = now == null ? Math.min(length, left) : now == Fault.LOST ? 0 : head;
      client.getOutputStream().write(part, 0, passed);
      left -= passed;
      return passed == length;
    }
  }

  public ServiceAddress() throws IOException {
    this.listener = new ServerSocket(0, 500, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().name("service-accept").start(this::accept);
  }

  public int port() {
    return listener.getLocalPort();
  }

  public URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port() + path);
  }

  /** Adds a pod, which then gets its share of new connections. Idempotent. */
  public void add(int port) {
    if (!ready.contains(port)) {
      ready.add(port);
    }
  }

  public void remove(int port) {
    ready.remove((Integer) port);
  }

  public boolean has(int port) {
    return ready.contains(port);
  }

  /** The number of connections to pods so far. */
  public int connections() {
    return accepted.get();
  }

  /** Does this to the answer of the next request that contains a text. */
  public void spoilAnswerTo(String request, Fault fault) {
    trap.set(new Trap(request, fault));
  }

  /** Cuts all connections, and from now on each after as many bytes of answers as this says. */
  public void cutAfter(IntSupplier bytes) {
    lengths = bytes;
    connections.forEach(Connection::close);
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
      var connection = new Connection(client, pod, lengths.getAsInt());
      connections.add(connection);
      var requests = Thread.ofVirtual().start(() -> pumpRequests(connection));
      pumpAnswers(connection);
      requests.join();
      connections.remove(connection);
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
    var port = pods.get(Math.floorMod(accepted.getAndIncrement(), pods.size()));
    return new Socket(InetAddress.getLoopbackAddress(), port);
  }

  /** The end of one side ends the other, and a cut closes both. */
  private void pumpRequests(Connection connection) {
    var buffer = new byte[32 * 1024];
    try {
      var in = connection.client.getInputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        var set = trap.get();
        if (set != null
            && new String(buffer, 0, read, ISO_8859_1).contains(set.request())
            && trap.compareAndSet(set, null)) {
          connection.fault.set(set.fault());
        }
        connection.pod.getOutputStream().write(buffer, 0, read);
      }
      connection.pod.shutdownOutput();
    } catch (IOException cut) {
      connection.close();
    }
  }

  private static void pumpAnswers(Connection connection) {
    var buffer = new byte[32 * 1024];
    try {
      var in = connection.pod.getInputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (!connection.answer(buffer, read)) {
          connection.close();
          return;
        }
      }
      connection.client.shutdownOutput();
    } catch (IOException cut) {
      connection.close();
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
