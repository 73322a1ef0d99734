package dev.errand.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.util.ReferenceCountUtil;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection so that its client receives everything that was sent, and can tell that
 * nothing else will follow: only the output ends at first, and what still arrives is read and
 * ignored until the client closes its side. A socket that is closed while bytes arrive is reset,
 * and a reset takes away answers that the client has not read yet.
 *
 * <p>While the node stops, a connection on which a request has begun to arrive is not closed before
 * its answer. It is the handler next to the socket.
 */
final class OrderlyClose extends ChannelDuplexHandler {

  /** How long a request that has begun to arrive may take to arrive and to be answered. */
  static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

  /** How long the client may take to close its side. */
  static final Duration CLIENT_LIMIT = Duration.ofSeconds(2);

  private final OpenConnections all;
  private boolean unanswered;
  private boolean closing;
  private boolean ended;

  /**
   * @param all the connections that were accepted by the same socket
   */
  OrderlyClose(OpenConnections all) {
    this.all = all;
  }

  /** Records that a request was answered; if the connection waited for that, it is closed. */
  static void answered(Channel connection) {
    var context = connection.pipeline().context(OrderlyClose.class);
    if (context != null && context.handler() instanceof OrderlyClose close) {
      context.executor().execute(() -> close.endIfClosing(context));
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (ended) {
      ReferenceCountUtil.release(message);
    } else {
      unanswered = true;
      context.fireChannelRead(message);
    }
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (ended) {
      ReferenceCountUtil.release(message);
      promise.tryFailure(new ClosedChannelException());
    } else {
      unanswered &= isEmpty(message);
      context.write(message, promise);
    }
  }

  /** Vert.x writes an empty buffer before it closes. */
  private static boolean isEmpty(Object message) {
    return message instanceof ByteBuf bytes && !bytes.isReadable();
  }

  @Override
  public void close(ChannelHandlerContext context, ChannelPromise promise) {
    context.channel().closeFuture().addListener(_ -> promise.trySuccess());
    if (closing) {
      return;
    }
    closing = true;
    if (isAwaited(context)) {
      later(context, ANSWER_LIMIT, () -> end(context));
    } else {
      end(context);
    }
  }

  /** HTTP/2 tells its client which requests were not read, and its frames are not only requests. */
  private boolean isAwaited(ChannelHandlerContext context) {
    return unanswered
        && all.areStopping()
        && context.pipeline().get(Http2ConnectionHandler.class) == null;
  }

  private void endIfClosing(ChannelHandlerContext context) {
    if (closing) {
      end(context);
    }
  }

  private void end(ChannelHandlerContext context) {
    if (ended) {
      return;
    }
    ended = true;
    if (context.channel().isActive() && context.channel() instanceof DuplexChannel socket) {
      socket.config().setAutoRead(true);
      socket
          .shutdownOutput()
          .addListener(shut -> {
            if (!shut.isSuccess()) {
              context.close();
            }
          });
      later(context, CLIENT_LIMIT, context::close);
    } else {
      context.close();
    }
  }

  private static void later(ChannelHandlerContext context, Duration time, Runnable action) {
    var scheduled = context.executor().schedule(action, time.toMillis(), TimeUnit.MILLISECONDS);
    context.channel().closeFuture().addListener(_ -> scheduled.cancel(false));
  }
}
