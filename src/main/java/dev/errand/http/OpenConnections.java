package dev.errand.http;

import static java.util.Objects.requireNonNull;

import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The open connections of one listening socket. A connection on which no request was complete 10 s
 * after it was accepted is closed; such connections count for no address ({@link ConnectionLimit}).
 */
final class OpenConnections {

  private static final AttributeKey<OpenConnections> KEY =
      AttributeKey.valueOf("errand.connections");
  private static final AttributeKey<Boolean> REQUESTED =
      AttributeKey.valueOf("errand.connection.requested");
  private static final int SILENCE_SECONDS = 10;

  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final Channel listener;
  private volatile boolean stopping;

  private OpenConnections(Channel listener) {
    this.listener = listener;
  }

  /** Begins to observe the connections of a listening socket. */
  static void of(Channel listener) {
    listener.attr(KEY).set(new OpenConnections(listener));
  }

  /** Returns all connections of the socket that accepted this one; null with a native transport. */
  static @Nullable OpenConnections with(Channel connection) {
    var listener = connection.parent();
    return listener == null ? null : listener.attr(KEY).get();
  }

  /** Adds a connection that its socket has just accepted. */
  static void add(Channel connection) {
    var connections = requireNonNull(with(connection));
    connections.open.add(connection);
    connection.pipeline().addFirst(new OrderlyClose(connections));
    var ignored =
        connections
            .listener
            .eventLoop()
            .schedule(() -> closeIfSilent(connection), SILENCE_SECONDS, TimeUnit.SECONDS);
  }

  private static void closeIfSilent(Channel connection) {
    if (!connection.hasAttr(REQUESTED)) {
      connection.close();
    }
  }

  /** A request has arrived on the connection. */
  static void requested(Channel connection) {
    connection.attr(REQUESTED).set(true);
  }

  /** Records that the node is stopping. */
  void stop() {
    stopping = true;
  }

  boolean areStopping() {
    return stopping;
  }

  /** If the socket listens no more, waits until its connections have ended. */
  void awaitEnd(Duration limit) throws InterruptedException {
    if (!listener.isOpen()) {
      open.newCloseFuture().await(limit.toMillis());
    }
  }
}
