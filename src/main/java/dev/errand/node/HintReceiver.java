package dev.errand.node;

import dev.errand.node.HintSender.Hint;
import dev.errand.postgres.DatabaseAddress;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * Receives the hints of the other nodes on a connection of its own, which also has the node's
 * advisory lock. After each (re)connect the other nodes are told that this one listens, and every
 * topic is signalled once, because hints may have been missed.
 */
@Singleton
class HintReceiver {

  private static final Logger LOG = Logger.getLogger(HintReceiver.class);
  private static final Duration RECONNECT_PAUSE = Duration.ofSeconds(1);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(10);
  private static final int LISTEN_MILLIS = 2_000;

  /** Distinguishes a network that drops all packets from a quiet database. */
  private static final Duration SILENCE = Duration.ofSeconds(5);

  /**
   * Without these, a server process would wait for the lock longer than this node does, which tries
   * again: the processes would pile up while an old connection that died has the lock.
   */
  private static final String SESSION =
      "set lock_timeout = '2s'; set statement_timeout = '4s'; set tcp_keepalives_idle = 10;"
          + " set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3";

  private final Node node;
  private final DatabaseAddress database;
  private final CountDownLatch closed = new CountDownLatch(1);
  private @Nullable Thread thread;
  private volatile @Nullable Connection current;
  private boolean malformedIsLogged;

  HintReceiver(Node node, DatabaseAddress database) {
    this.node = node;
    this.database = database;
  }

  /** What is done with what arrives. */
  private record HintConsumer(Consumer<Topic> topics, Consumer<String> texts) {}

  /** Starts listening in a thread of its own. */
  void open(Consumer<Topic> topics, Consumer<String> texts) {
    var consumer = new HintConsumer(topics, texts);
    thread = Thread.ofPlatform().daemon().name("hints-listen").start(() -> listen(consumer));
  }

  /** Cuts the connection, which frees the advisory lock, and ends the thread. Idempotent. */
  void close() throws InterruptedException {
    closed.countDown();
    abort(current);
    if (thread != null) {
      thread.join(STOP_LIMIT);
    }
  }

  /**
   * Closes a connection. Unlike {@code close()}, it does not wait for the thread that reads from
   * the connection.
   */
  private static void abort(@Nullable Connection connection) {
    try {
      if (connection != null) {
        connection.abort(Runnable::run);
      }
    } catch (SQLException fault) {
      LOG.debug("The listening connection is broken already", fault);
    }
  }

  /** Nothing may end this thread but a stop: without its lock the node would be taken for dead. */
  private void listen(HintConsumer consumer) {
    do {
      try (var connection = database.connect(SILENCE, SESSION)) {
        current = connection;
        if (!isClosedWithin(Duration.ZERO)) {
          prepare(connection);
          EnumSet.allOf(Topic.class).forEach(consumer.topics());
          receive(connection, consumer);
        }
      } catch (SQLException cut) {
        LOG.debug("The listening connection was cut", cut);
      } catch (RuntimeException fault) {
        LOG.error("Listening for hints failed; it starts again", fault);
      }
    } while (!isClosedWithin(RECONNECT_PAUSE));
  }

  private boolean isClosedWithin(Duration time) {
    try {
      return closed.await(time.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private void prepare(Connection connection) throws SQLException {
    try (var listen = connection.prepareStatement("listen errand_hint; listen errand_text");
        var lock = connection.prepareStatement("select pg_advisory_lock(?)")) {
      listen.execute();
      lock.setLong(1, Node.lockKey(node.id()));
      lock.execute();
    }
  }

  private void receive(Connection connection, HintConsumer consumer) throws SQLException {
    var notifications = connection.unwrap(PGConnection.class);
    while (!isClosedWithin(Duration.ZERO)) {
      var arrived = notifications.getNotifications(LISTEN_MILLIS);
      for (var notification : arrived) {
        if (notification.getName().equals(HintSender.TEXTS)) {
          receiveText(notification.getParameter(), consumer.texts());
        } else {
          receive(notification.getParameter(), consumer.topics());
        }
      }
      if (arrived.length == 0) {
        ping(connection);
      }
    }
  }

  /** Detects a connection that was lost without a notification. */
  private static void ping(Connection connection) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute("select 1");
    }
  }

  private void receive(String payload, Consumer<Topic> consumer) {
    var hint = Hint.parse(payload);
    if (hint.isEmpty()) {
      skip(payload);
    } else if (!hint.get().sender().equals(node.id())) {
      hint.get().topics().forEach(consumer);
    }
  }

  /** A text follows the id of its sender. */
  private void receiveText(String payload, Consumer<String> consumer) {
    var end = payload.indexOf(' ');
    if (end > 0 && !payload.substring(0, end).equals(node.id().toString())) {
      consumer.accept(payload.substring(end + 1));
    }
  }

  private void skip(String payload) {
    if (!malformedIsLogged) {
      malformedIsLogged = true;
      LOG.warnf("A malformed hint is skipped, and so are all later ones: \"%s\"", payload);
    }
  }
}
