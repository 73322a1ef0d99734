package dev.errand.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.vertx.core.impl.VertxBuilder;
import io.vertx.core.impl.transports.JDKTransport;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.spi.VertxServiceProvider;

/**
 * Registers each connection with {@link OpenConnections} when it is accepted. Quarkus shows
 * applications a connection with its first request, too late for one that brings none. So this
 * service of Vert.x adds a handler to the listening sockets.
 */
public final class AcceptedConnections implements VertxServiceProvider {

  @Override
  public void init(VertxBuilder builder) {
    if (!builder.options().getPreferNativeTransport()) {
      builder.findTransport(new ObservedTransport());
    }
  }

  private static final class ObservedTransport extends JDKTransport {

    @Override
    public void configure(NetServerOptions options, boolean domainSocket, ServerBootstrap server) {
      super.configure(options, domainSocket, server);
      server.handler(new OnAccept());
    }
  }

  /** Belongs to one listening socket. */
  private static final class OnAccept extends ChannelInboundHandlerAdapter {

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
      OpenConnections.of(context.channel());
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
      if (accepted instanceof Channel connection) {
        OpenConnections.add(connection);
      }
      context.fireChannelRead(accepted);
    }
  }
}
