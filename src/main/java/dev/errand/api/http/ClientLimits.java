package dev.errand.api.http;

import dev.errand.tool.FieldProblem;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.GenericFutureListener;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.ws.rs.core.Response.Status;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Limits what one client has at the same time at this node, so that it leaves something to others:
 * connections, requests that wait, and streams of events. A client is an address.
 */
@ApplicationScoped
public class ClientLimits {

  private static final int AFTER_THE_GUARD = 1050;
  private static final AttributeKey<Boolean> COUNTED =
      AttributeKey.valueOf("errand.connection.counted");

  private final ClientSlots connections;
  private final ClientSlots waits;
  private final ClientSlots streams;
  private final CurrentVertxRequest current;
  private final ProblemWriter problems;

  ClientLimits(HttpConfig config, CurrentVertxRequest current, ProblemWriter problems) {
    this.connections = new ClientSlots(config.maxConnectionsPerClient());
    this.waits = new ClientSlots(config.maxWaitsPerClient());
    this.streams = new ClientSlots(config.maxStreamsPerClient());
    this.current = current;
    this.problems = problems;
  }

  /** A place that the current request occupies until it is closed. */
  public interface Place extends AutoCloseable {

    @Override
    void close();
  }

  void register(@Observes Filters filters) {
    filters.register(this::check, AFTER_THE_GUARD);
  }

  /** Counts a connection with its first request. */
  void check(RoutingContext context) {
    var channel = channel(context.request());
    if (channel.attr(COUNTED).setIfAbsent(true) != null) {
      context.next();
      return;
    }
    var client = client(context.request());
    if (connections.take(client)) {
      channel.closeFuture().addListener(_ -> connections.release(client));
      context.next();
    } else {
      channel.attr(COUNTED).set(null);
      context.response().putHeader("Retry-After", ProblemMappers.RETRY_SECONDS);
      var detail = detail("connections", connections);
      problems.answer(
          context.response(),
          Status.TOO_MANY_REQUESTS,
          detail,
          context.normalizedPath(),
          List.of());
    }
  }

  /**
   * Lets the current request wait.
   *
   * @param limit how long it may wait; zero needs no place
   * @throws Refusal too many requests of the client wait
   */
  public Place waiting(Duration limit) {
    return limit.isZero() ? () -> {} : place(waits, "waiting requests");
  }

  /**
   * Lets the current request receive a stream, at most until its connection is closed.
   *
   * @throws Refusal the client has too many streams
   */
  public Place streaming() {
    var place = place(streams, "streams of events");
    var connection = channel(current.getCurrent().request()).closeFuture();
    GenericFutureListener<ChannelFuture> atTheEnd = _ -> place.close();
    connection.addListener(atTheEnd);
    return () -> {
      connection.removeListener(atTheEnd);
      place.close();
    };
  }

  /** Closing a place twice has no effect. */
  private Place place(ClientSlots slots, String what) {
    var client = client(current.getCurrent().request());
    if (!slots.take(client)) {
      var error = new FieldProblem("", "at most " + slots.max() + " " + what + " for each client");
      throw new Refusal(Status.TOO_MANY_REQUESTS, detail(what, slots), List.of(error));
    }
    var open = new AtomicBoolean(true);
    return () -> {
      if (open.getAndSet(false)) {
        slots.release(client);
      }
    };
  }

  private static String detail(String what, ClientSlots slots) {
    return "This client has " + slots.max() + " " + what + " open; try again later.";
  }

  private static Channel channel(HttpServerRequest request) {
    return ((ConnectionBase) request.connection()).channel();
  }

  /** Behind a proxy that Quarkus is told to trust, this is the address that the proxy reports. */
  private static String client(HttpServerRequest request) {
    var address = request.remoteAddress();
    return address == null ? "" : String.valueOf(address.hostAddress());
  }
}
