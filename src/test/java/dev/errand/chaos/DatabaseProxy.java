package dev.errand.chaos;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A proxy between one node and PostgreSQL. It can cut connections, stall them, and drop the
 * response to a COMMIT: the server has committed, but the client does not learn it.
 */
final class DatabaseProxy implements Closeable {

  /** {@code CommandComplete} with the tag {@code COMMIT}, as the server sends it. */
  private static final byte[] COMMITTED =
      "C\0\0\0\u000bCOMMIT\0".getBytes(StandardCharsets.ISO_8859_1);

  private static final byte[] BEGIN = "BEGIN\0".getBytes(StandardCharsets.ISO_8859_1);
  static final String LISTEN = "listen errand_hint";
  static final String NOTIFY = "pg_notify('errand_hint";
  private static final byte[] LISTEN_BYTES = LISTEN.getBytes(StandardCharsets.ISO_8859_1);
  private static final byte[] NOTIFY_BYTES = NOTIFY.getBytes(StandardCharsets.ISO_8859_1);

  private final ServerSocket listener;
  private final int databasePort;
  private final Set<Pair> pairs = ConcurrentHashMap.newKeySet();
  private final AtomicReference<byte @Nullable []> commitToDrop = new AtomicReference<>();
  private final AtomicInteger swallowed = new AtomicInteger();
  private final AtomicInteger droppedHints = new AtomicInteger();
  private final Object flow = new Object();
  private volatile boolean stalled;
  private volatile boolean refusing;
  private volatile boolean droppingHints;
  private volatile CountDownLatch beginSeen = new CountDownLatch(0);

  /**
   * @param dropsCommit the response to the next commit of this connection is dropped
   * @param listening this connection receives the hints and has the lock of the node
   */
  private record Pair(
      Socket client, Socket server, AtomicBoolean dropsCommit, AtomicBoolean listening) {

    void close() {
      close(client);
      close(server);
    }

    private static void close(Socket socket) {
      try {
        socket.close();
      } catch (IOException ignored) {
        // The socket is closed in any case.
      }
    }
  }

  DatabaseProxy(int databasePort) throws IOException {
    this.databasePort = databasePort;
    this.listener = new ServerSocket(0, 500, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().name("proxy-accept").start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  /**
   * Cuts all connections; new ones are accepted.
   *
   * @return their number
   */
  int cut() {
    var all = List.copyOf(pairs);
    all.forEach(Pair::close);
    return all.size();
  }

  /**
   * Cuts one connection.
   *
   * @return 0 if there is none
   */
  int cutOne(Random random) {
    var all = List.copyOf(pairs);
    if (all.isEmpty()) {
      return 0;
    }
    all.get(random.nextInt(all.size())).close();
    return 1;
  }

  /** Cuts all connections and refuses new ones until {@link #restore}. */
  void isolate() {
    refusing = true;
    cut();
  }

  /**
   * Cuts the connection that has the lock of the node and refuses new ones until {@link #restore};
   * the other connections work.
   */
  void silenceListener() {
    refusing = true;
    pairs.stream().filter(pair -> pair.listening().get()).forEach(Pair::close);
  }

  /** Stops all traffic in both directions until {@link #restore}. */
  void stall() {
    stalled = true;
  }

  void restore() {
    refusing = false;
    stalled = false;
    synchronized (flow) {
      flow.notifyAll();
    }
  }

  /**
   * Drops the response to the commit of the next transaction that contains this piece of SQL, and
   * cuts its connection.
   */
  void swallowCommitOf(String sql) {
    commitToDrop.set(sql.getBytes(StandardCharsets.UTF_8));
  }

  int swallowed() {
    return swallowed.get();
  }

  /**
   * While on, hints of this node are sent to a channel without listeners, so that no other node
   * receives them.
   */
  void dropHints(boolean on) {
    droppingHints = on;
  }

  int droppedHints() {
    return droppedHints.get();
  }

  /** Waits until a transaction begins on a connection of this proxy. */
  void awaitBegin(Duration limit) throws InterruptedException {
    beginSeen = new CountDownLatch(1);
    beginSeen.await(limit.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        var client = listener.accept();
        if (refusing) {
          client.close();
        } else {
          connect(client);
        }
      } catch (IOException refused) {
        Thread.onSpinWait();
      }
    }
  }

  private void connect(Socket client) throws IOException {
    Socket server;
    try {
      server = new Socket(InetAddress.getLoopbackAddress(), databasePort);
    } catch (IOException databaseUnavailable) {
      client.close();
      return;
    }
    client.setTcpNoDelay(true);
    server.setTcpNoDelay(true);
    var pair = new Pair(client, server, new AtomicBoolean(), new AtomicBoolean());
    pairs.add(pair);
    Thread.ofVirtual().start(() -> pump(pair, client, server, false));
    Thread.ofVirtual().start(() -> pump(pair, server, client, true));
  }

  private void pump(Pair pair, Socket from, Socket to, boolean answers) {
    try (from;
        to) {
      copy(pair, from.getInputStream(), to.getOutputStream(), answers);
    } catch (IOException exception) {
      // The pair ends.
    } finally {
      pair.close();
      pairs.remove(pair);
    }
  }

  private void copy(Pair pair, InputStream in, OutputStream out, boolean answers)
      throws IOException {
    var buffer = new byte[32 * 1024];
    for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
      awaitFlow();
      if (answers && find(COMMITTED, buffer, read) >= 0 && pair.dropsCommit().getAndSet(false)) {
        swallowed.incrementAndGet();
        return;
      }
      if (!answers) {
        mark(pair, buffer, read);
      }
      if (!answers && droppingHints) {
        renameChannel(buffer, read);
      }
      out.write(buffer, 0, read);
      out.flush();
      if (!answers && beginSeen.getCount() > 0 && find(BEGIN, buffer, read) >= 0) {
        beginSeen.countDown();
      }
    }
  }

  private void mark(Pair pair, byte[] buffer, int length) {
    if (find(LISTEN_BYTES, buffer, length) >= 0) {
      pair.listening().set(true);
    }
    var wanted = commitToDrop.get();
    if (wanted != null
        && find(wanted, buffer, length) >= 0
        && commitToDrop.compareAndSet(wanted, null)) {
      pair.dropsCommit().set(true);
    }
  }

  private void awaitFlow() throws IOException {
    synchronized (flow) {
      while (stalled) {
        try {
          flow.wait();
        } catch (InterruptedException exception) {
          throw new IOException(exception);
        }
      }
    }
  }

  private void renameChannel(byte[] buffer, int length) {
    int position = find(NOTIFY_BYTES, buffer, length);
    if (position >= 0) {
      buffer[position + NOTIFY_BYTES.length - 1] = 'X';
      droppedHints.incrementAndGet();
    }
  }

  private static int find(byte[] wanted, byte[] buffer, int length) {
    for (int start = 0; start + wanted.length <= length; start++) {
      if (buffer[start] == wanted[0]
          && Arrays.equals(wanted, 0, wanted.length, buffer, start, start + wanted.length)) {
        return start;
      }
    }
    return -1;
  }

  @Override
  public void close() throws IOException {
    listener.close();
    restore();
    cut();
  }
}
