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
 * The wire between one node and PostgreSQL. Can be cut, can go quiet, and can swallow exactly the
 * answer to a COMMIT: the server has committed, the client never hears of it.
 */
final class DatabaseProxy implements Closeable {

  /** {@code CommandComplete} with the tag {@code COMMIT}, as the server sends it. */
  private static final byte[] COMMITTED =
      "C\0\0\0\u000bCOMMIT\0".getBytes(StandardCharsets.ISO_8859_1);

  private static final byte[] BEGIN = "BEGIN\0".getBytes(StandardCharsets.ISO_8859_1);
  private static final byte[] LISTEN = "listen errand_hint".getBytes(StandardCharsets.ISO_8859_1);
  private static final byte[] NOTIFY =
      "pg_notify('errand_hint".getBytes(StandardCharsets.ISO_8859_1);

  private final ServerSocket listener;
  private final int databasePort;
  private final Set<Pair> pairs = ConcurrentHashMap.newKeySet();
  private final AtomicReference<byte @Nullable []> doomed = new AtomicReference<>();
  private final AtomicInteger swallowed = new AtomicInteger();
  private final Object quiet = new Object();
  private volatile boolean stalled;
  private volatile boolean refusing;
  private volatile boolean droppingHints;
  private volatile CountDownLatch begun = new CountDownLatch(0);

  /**
   * @param chosen the answer to its next commit is lost
   * @param listening it gets the hints, and holds the node's lock
   */
  private record Pair(Socket client, Socket server, AtomicBoolean chosen, AtomicBoolean listening) {

    void close() {
      close(client);
      close(server);
    }

    private static void close(Socket socket) {
      try {
        socket.close();
      } catch (IOException gone) {
        // it is what was wanted
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

  /** Cuts every connection; new ones are made at once. */
  void cut() {
    pairs.forEach(Pair::close);
  }

  /** Cuts one connection. */
  void cutOne(Random random) {
    var all = List.copyOf(pairs);
    if (!all.isEmpty()) {
      all.get(random.nextInt(all.size())).close();
    }
  }

  /** From now on nobody gets through, until {@link #restore}. */
  void isolate() {
    refusing = true;
    cut();
  }

  /**
   * Cuts the connection that holds the node's lock and makes no new one until {@link #restore}; all
   * others work.
   */
  void silenceListener() {
    refusing = true;
    pairs.stream().filter(pair -> pair.listening().get()).forEach(Pair::close);
  }

  /** From now on nothing moves, in either direction, until {@link #restore}. */
  void stall() {
    stalled = true;
  }

  void restore() {
    refusing = false;
    stalled = false;
    synchronized (quiet) {
      quiet.notifyAll();
    }
  }

  /**
   * The answer to the commit of the next transaction in which this piece of SQL is sent is lost,
   * its connection with it.
   */
  void swallowCommitOf(String sql) {
    doomed.set(sql.getBytes(StandardCharsets.UTF_8));
  }

  int swallowed() {
    return swallowed.get();
  }

  /** While on, no hint reaches another node: it is sent to a channel that nobody listens to. */
  void dropHints(boolean on) {
    droppingHints = on;
  }

  /** Returns as soon as a transaction has just begun on this wire. */
  void awaitBegin(Duration limit) throws InterruptedException {
    begun = new CountDownLatch(1);
    begun.await(limit.toMillis(), TimeUnit.MILLISECONDS);
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
    } catch (IOException databaseAway) {
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
    } catch (IOException cut) {
      // ends the pair
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
      if (answers && find(COMMITTED, buffer, read) >= 0 && pair.chosen().getAndSet(false)) {
        swallowed.incrementAndGet();
        return;
      }
      if (!answers) {
        choose(pair, buffer, read);
      }
      if (!answers && droppingHints) {
        misdirect(buffer, read);
      }
      out.write(buffer, 0, read);
      out.flush();
      if (!answers && begun.getCount() > 0 && find(BEGIN, buffer, read) >= 0) {
        begun.countDown();
      }
    }
  }

  private void choose(Pair pair, byte[] buffer, int length) {
    if (find(LISTEN, buffer, length) >= 0) {
      pair.listening().set(true);
    }
    var wanted = doomed.get();
    if (wanted != null && find(wanted, buffer, length) >= 0 && doomed.compareAndSet(wanted, null)) {
      pair.chosen().set(true);
    }
  }

  private void awaitFlow() throws IOException {
    synchronized (quiet) {
      while (stalled) {
        try {
          quiet.wait();
        } catch (InterruptedException stopped) {
          throw new IOException(stopped);
        }
      }
    }
  }

  private static void misdirect(byte[] buffer, int length) {
    int at = find(NOTIFY, buffer, length);
    if (at >= 0) {
      buffer[at + NOTIFY.length - 1] = 'X';
    }
  }

  private static int find(byte[] wanted, byte[] buffer, int length) {
    for (int start = 0; start + wanted.length <= length; start++) {
      if (Arrays.equals(wanted, 0, wanted.length, buffer, start, start + wanted.length)) {
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
