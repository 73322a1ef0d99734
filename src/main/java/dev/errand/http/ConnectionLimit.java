package dev.errand.http;

import dev.errand.http.ClientLimits.ClientSlots;
import io.netty.util.AttributeKey;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response.Status;
import java.util.List;

/** Limits the connections of one address. A connection counts from its first request. */
@Singleton
class ConnectionLimit {

  private static final int AFTER_THE_GUARD = 1050;
  private static final AttributeKey<Boolean> COUNTED =
      AttributeKey.valueOf("errand.connection.counted");

  private final ClientSlots connections;
  private final ProblemWriter problems;

  ConnectionLimit(HttpConfig config, ProblemWriter problems) {
    this.connections = new ClientSlots(config.maxConnectionsPerClient());
    this.problems = problems;
  }

  void register(@Observes Filters filters) {
    filters.register(this::check, AFTER_THE_GUARD);
  }

  void check(RoutingContext context) {
    var channel = ClientLimits.channel(context.request());
    if (channel.attr(COUNTED).setIfAbsent(true) != null) {
      context.next();
      return;
    }
    var client = ClientLimits.address(context.request());
    if (connections.take(client)) {
      channel.closeFuture().addListener(_ -> connections.release(client));
      context.next();
    } else {
      channel.attr(COUNTED).set(null);
      context.response().putHeader("Retry-After", ProblemMappers.RETRY_SECONDS);
      var detail = ClientLimits.detail("connections", connections);
      problems.answer(
          context.response(),
          Status.TOO_MANY_REQUESTS,
          detail,
          context.normalizedPath(),
          List.of());
    }
  }
}
