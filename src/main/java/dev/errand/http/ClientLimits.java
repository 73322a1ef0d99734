package dev.errand.http;

import dev.errand.auth.Callers;
import dev.errand.tool.FieldProblem;
import io.netty.channel.Channel;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.impl.ConnectionBase;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response.Status;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Limits what one client may have on this node at the same time, so that others are still served:
 * requests that wait, and streams of events. A client is the subject of a key or token, together
 * with the session tokens that it made; without authentication it is an address.
 */
@Singleton
public class ClientLimits {

  private final ClientSlots waits;
  private final ClientSlots streams;
  private final CurrentVertxRequest current;
  private final Callers callers;

  ClientLimits(HttpConfig config, CurrentVertxRequest current, Callers callers) {
    this.waits = new ClientSlots(config.maxWaitsPerClient());
    this.streams = new ClientSlots(config.maxStreamsPerClient());
    this.current = current;
    this.callers = callers;
  }

  /** A place that the current request occupies until it is closed. */
  public interface RequestPlace extends AutoCloseable {

    @Override
    void close();
  }

  /**
   * Lets the current request wait. It keeps its place also when its client has left, because its
   * thread still waits.
   *
   * @param limit how long it may wait; zero needs no place
   * @throws Refusal too many requests of the client wait
   */
  public RequestPlace waiting(Duration limit) {
    return limit.isZero() ? () -> {} : place(waits, "waiting requests");
  }

  /**
   * Lets the current request receive a stream, at most until the end of its exchange.
   *
   * @throws Refusal the client has too many streams
   */
  public RequestPlace streaming() {
    var place = place(streams, "streams of events");
    var exchange = current.getCurrent();
    exchange.addEndHandler(_ -> place.close());
    if (exchange.response().closed()) {
      // The client is gone, and no handler is called for that any more.
      place.close();
    }
    return place;
  }

  /** Closing a place twice has no effect. */
  private RequestPlace place(ClientSlots slots, String what) {
    var subject = callers.client();
    var client = subject == null ? address(current.getCurrent().request()) : subject;
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

  static String detail(String what, ClientSlots slots) {
    return "This client has " + slots.max() + " " + what + " open; try again later.";
  }

  static Channel channel(HttpServerRequest request) {
    return ((ConnectionBase) request.connection()).channel();
  }

  /** Behind a proxy that Quarkus is told to trust, this is the address that the proxy reports. */
  public static String address(HttpServerRequest request) {
    var address = request.remoteAddress();
    return address == null ? "" : String.valueOf(address.hostAddress());
  }

  /** Counts what each client has at the same time, up to a limit. */
  static final class ClientSlots {

    private final Map<String, Integer> taken = new ConcurrentHashMap<>();
    private final int max;

    ClientSlots(int max) {
      this.max = max;
    }

    /**
     * Takes a slot, which the caller gives back with {@link #release}.
     *
     * @return false if the client has as many as it may have
     */
    boolean take(String client) {
      if (taken.merge(client, 1, Integer::sum) <= max) {
        return true;
      }
      release(client);
      return false;
    }

    void release(String client) {
      taken.computeIfPresent(client, (_, number) -> number == 1 ? null : number - 1);
    }

    int max() {
      return max;
    }

    /** Returns how many clients have a slot. */
    int clients() {
      return taken.size();
    }
  }
}
