package dev.errand.node;

import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;

/**
 * Hints between nodes by NOTIFY: at most one every 20 ms, on a connection of its own and in no
 * business transaction, for NOTIFY takes a lock of the whole server at commit. The listening
 * connection also holds the node's advisory lock; when it was cut, everything is looked at once
 * after it is back.
 */
@ApplicationScoped
class HintChannel {

  private static final Logger LOG = Logger.getLogger(HintChannel.class);
  private static final Duration SEND_PAUSE = Duration.ofMillis(20);
  private static final Duration RECONNECT_PAUSE = Duration.ofSeconds(1);
  private static final int LISTEN_MILLIS = 2_000;
  private static final int ANSWER_SECONDS = 5;

  private final Jdbi jdbi;
  private final Node node;
  private final String url;
  private final String user;
  private final String password;
  private final Set<Topic> unsent = EnumSet.noneOf(Topic.class);
  private final Semaphore toSend = new Semaphore(0);

  HintChannel(
      Jdbi jdbi,
      Node node,
      @ConfigProperty(name = "quarkus.datasource.jdbc.url") String url,
      @ConfigProperty(name = "quarkus.datasource.username") String user,
      @ConfigProperty(name = "quarkus.datasource.password") Optional<String> password) {
    this.jdbi = jdbi;
    this.node = node;
    this.url = url;
    this.user = user;
    this.password = password.orElse("");
  }

  /** Starts listening and sending; {@code receiver} gets the other nodes' hints. */
  void open(Consumer<Topic> receiver) {
    Thread.ofPlatform().daemon().name("hints-listen").start(() -> listen(receiver));
    Thread.ofVirtual().name("hints-send").start(this::sendAll);
  }

  void send(Topic topic) {
    synchronized (unsent) {
      unsent.add(topic);
    }
    toSend.release();
  }

  private void sendAll() {
    while (!Thread.currentThread().isInterrupted()) {
      toSend.acquireUninterruptibly();
      LockSupport.parkNanos(SEND_PAUSE.toNanos());
      toSend.drainPermits();
      try {
        notifyOthers(takeUnsent());
      } catch (RuntimeException fault) {
        LOG.debug("A hint to the other nodes was lost; their polling finds the work", fault);
      }
    }
  }

  private String takeUnsent() {
    synchronized (unsent) {
      var topics = unsent.stream().map(Topic::name).collect(Collectors.joining(","));
      unsent.clear();
      return topics;
    }
  }

  private void notifyOthers(String topics) {
    if (topics.isEmpty()) {
      return;
    }
    jdbi.useHandle(handle ->
        handle
            .createQuery("select pg_notify('errand_hint', :hint)::text")
            .bind("hint", node.id() + " " + topics)
            .mapTo(String.class)
            .findOne());
  }

  private void listen(Consumer<Topic> receiver) {
    while (!Thread.currentThread().isInterrupted()) {
      try (var connection = DriverManager.getConnection(url, properties())) {
        prepare(connection);
        EnumSet.allOf(Topic.class).forEach(receiver);
        receive(connection, receiver);
      } catch (SQLException cut) {
        LOG.debug("The listening connection was cut", cut);
        LockSupport.parkNanos(RECONNECT_PAUSE.toNanos());
      }
    }
  }

  /** A network that swallows everything must not look like a quiet database. */
  private Properties properties() {
    var properties = new Properties();
    PGProperty.USER.set(properties, user);
    PGProperty.PASSWORD.set(properties, password);
    PGProperty.CONNECT_TIMEOUT.set(properties, ANSWER_SECONDS);
    PGProperty.SOCKET_TIMEOUT.set(properties, ANSWER_SECONDS);
    PGProperty.TCP_KEEP_ALIVE.set(properties, true);
    return properties;
  }

  private void prepare(Connection connection) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute("listen errand_hint");
      statement.execute("select pg_advisory_lock(" + Node.lockKey(node.id()) + ")");
    }
  }

  private void receive(Connection connection, Consumer<Topic> receiver) throws SQLException {
    var notifications = connection.unwrap(PGConnection.class);
    while (!Thread.currentThread().isInterrupted()) {
      for (var notification : notifications.getNotifications(LISTEN_MILLIS)) {
        receive(notification.getParameter(), receiver);
      }
      try (var ping = connection.createStatement()) {
        ping.execute("select 1");
      }
    }
  }

  /** A newer node may hint at things unknown here. */
  private void receive(String hint, Consumer<Topic> receiver) {
    var parts = hint.split(" ", 2);
    if (!parts[0].equals(node.id().toString())) {
      var named = Set.of(parts[1].split(","));
      EnumSet.allOf(Topic.class).stream()
          .filter(topic -> named.contains(topic.name()))
          .forEach(receiver);
    }
  }
}
