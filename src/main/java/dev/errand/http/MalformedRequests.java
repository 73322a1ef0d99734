package dev.errand.http;

import static java.util.Objects.requireNonNull;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.impl.VertxBuilder;
import io.vertx.core.impl.transports.JDKTransport;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.spi.VertxServiceProvider;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Answers what is not a request – a malformed request line or header, headers that are too long –
 * with a problem document. Vert.x answers it with an empty body before there is a request that a
 * filter could see, and Quarkus does not let applications set the {@code invalidRequestHandler} of
 * its server. So this service of Vert.x adds a handler to each connection that replaces the empty
 * answers; no other part of the service sends any. A connection that brings no request at all is
 * closed.
 */
public final class MalformedRequests implements VertxServiceProvider {

  private static final AttributeKey<Boolean> ANSWERED =
      AttributeKey.valueOf("errand.connection.answered");

  @Override
  public void init(VertxBuilder builder) {
    if (!builder.options().getPreferNativeTransport()) {
      builder.findTransport(new AnsweringTransport());
    }
  }

  private static final class AnsweringTransport extends JDKTransport {

    @Override
    public void configure(NetServerOptions options, boolean domainSocket, ServerBootstrap server) {
      super.configure(options, domainSocket, server);
      server.handler(new OnConnect());
    }
  }

  /** Receives accepted connections from the listening channel. */
  private static final class OnConnect extends ChannelInboundHandlerAdapter {

    private final EmptyAnswers answers = new EmptyAnswers();
    private final Silence silence = new Silence();
    private @Nullable OpenConnections connections;

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
      connections = OpenConnections.of(context.channel());
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
      if (accepted instanceof Channel connection) {
        var all = requireNonNull(connections);
        all.add(connection);
        connection.pipeline().addFirst(new OrderlyClose(all), answers, silence);
      }
      context.fireChannelRead(accepted);
    }
  }

  /**
   * Closes a connection on which no request was complete 10 s after it was opened. Such connections
   * count for no address ({@link ConnectionLimit}).
   */
  @Sharable
  private static final class Silence extends ChannelInboundHandlerAdapter {

    private static final int SECONDS = 10;

    @Override
    public void channelActive(ChannelHandlerContext context) {
      var channel = context.channel();
      var ignored =
          channel
              .eventLoop()
              .schedule(
                  () -> {
                    if (!ConnectionLimit.counts(channel) && !channel.hasAttr(ANSWERED)) {
                      channel.close();
                    }
                  },
                  SECONDS,
                  TimeUnit.SECONDS);
      context.fireChannelActive();
    }
  }

  /** Sees the bytes of each answer last. */
  @Sharable
  private static final class EmptyAnswers extends ChannelOutboundHandlerAdapter {

    private static final int LONGEST = 100;
    private static final int STATUS_AT = "HTTP/1.1 ".length();
    private static final Map<String, String> PROBLEMS =
        Map.of(
            "400", problem("Bad Request", 400, "This is not a valid request of HTTP."),
            "414", problem("URI Too Long", 414, "The URL has more than 8,000 characters."),
            "431",
                problem(
                    "Request Header Fields Too Large",
                    431,
                    "The headers have more than 20 KiB together."));

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      context.channel().attr(ANSWERED).set(true);
      var problem = problemFor(message);
      if (problem != null) {
        ReferenceCountUtil.release(message);
        context.write(Unpooled.copiedBuffer(problem, StandardCharsets.UTF_8), promise);
      } else {
        context.write(message, promise);
      }
    }

    private static @Nullable String problemFor(Object message) {
      if (!(message instanceof ByteBuf bytes)
          || bytes.readableBytes() > LONGEST
          || bytes.readableBytes() < STATUS_AT
          || bytes.getByte(bytes.readerIndex()) != 'H') {
        return null;
      }
      var answer = bytes.toString(StandardCharsets.US_ASCII);
      return answer.startsWith("HTTP/1.") && answer.contains("\r\ncontent-length: 0\r\n")
          ? PROBLEMS.get(answer.substring(STATUS_AT, STATUS_AT + 3))
          : null;
    }

    private static String problem(String title, int status, String detail) {
      var body =
          """
          {"type":"about:blank","title":"%s","status":%d,"detail":"%s","instance":"/","errors":[]}\
          """
              .formatted(title, status, detail);
      return """
      HTTP/1.1 %d %s\r
      content-type: %s\r
      content-length: %d\r
      connection: close\r
      x-content-type-options: nosniff\r
      \r
      %s\
      """
          .formatted(status, title, Problem.MEDIA_TYPE, body.length(), body);
    }
  }
}
