package dev.errand.http;

import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The open connections of one listening socket. */
final class OpenConnections {

  private static final AttributeKey<OpenConnections> KEY =
      AttributeKey.valueOf("errand.connections");

  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final Channel listener;
  private volatile boolean stopping;

  private OpenConnections(Channel listener) {
    this.listener = listener;
  }

  /** Begins to count the connections of a listening socket. */
  static OpenConnections of(Channel listener) {
    var connections = new OpenConnections(listener);
    listener.attr(KEY).set(connections);
    return connections;
  }

  /** All connections of the socket that accepted this one; null with a native transport. */
  static @Nullable OpenConnections with(Channel connection) {
    var listener = connection.parent();
    return listener == null ? null : listener.attr(KEY).get();
  }

  void add(Channel connection) {
    open.add(connection);
  }

  /** The node is stopping. */
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
