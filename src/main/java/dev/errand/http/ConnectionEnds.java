package dev.errand.http;

import io.quarkus.runtime.ShutdownDelayInitiatedEvent;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Ends a connection of HTTP/1 after the response that announces it. From the begin of a stop on,
 * each response announces it, also the response to a request that had begun before. So the
 * connections that are left at the end of the delay were quiet during all of it.
 */
@Singleton
class ConnectionEnds {

  private static final int BEFORE_THE_GUARD = 1150;
  private static final String HEADER = "Connection";
  private static final String CLOSE = "close";

  private final Set<OpenConnections> known = ConcurrentHashMap.newKeySet();
  private volatile boolean stopping;

  void register(@Observes Filters filters) {
    filters.register(this::watch, BEFORE_THE_GUARD);
  }

  private void watch(RoutingContext context) {
    var channel = ClientLimits.channel(context.request());
    OpenConnections.requested(channel);
    var connections = OpenConnections.with(channel);
    if (connections != null && known.add(connections) && stopping) {
      connections.stop();
    }
    if (context.response().streamId() < 0) {
      context.addHeadersEndHandler(_ -> announce(context.response()));
      context.addEndHandler(_ -> {
        OrderlyClose.answered(channel);
        if (isAnnounced(context.response())) {
          context.request().connection().close();
        }
      });
    }
    context.next();
  }

  private void announce(HttpServerResponse response) {
    if (stopping) {
      response.putHeader(HEADER, CLOSE);
    }
  }

  private static boolean isAnnounced(HttpServerResponse response) {
    return response.headers().contains(HEADER, CLOSE, true);
  }

  /** Begins to close connections before the requests that wait are answered. */
  void begin(@Observes @Priority(1) ShutdownDelayInitiatedEvent stop) {
    stopping = true;
    known.forEach(OpenConnections::stop);
  }

  /**
   * Waits for the ends of connections while runs end, and before anything stops that a request
   * needs.
   */
  void awaitEnd(@Observes @Priority(3) ShutdownEvent stop) throws InterruptedException {
    var limit = OrderlyClose.ANSWER_LIMIT.plus(OrderlyClose.CLIENT_LIMIT);
    for (var connections : known) {
      connections.awaitEnd(limit);
    }
  }
}
