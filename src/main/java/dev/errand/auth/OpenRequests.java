package dev.errand.auth;

import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import io.quarkus.runtime.StartupEvent;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.JdbiException;

/**
 * The requests that are being answered, with what their callers have identified themselves by. A
 * stream of events or a waiting call is closed when that is no longer valid: its key was revoked or
 * has expired, or its session was deleted.
 */
@Singleton
public class OpenRequests {

  private static final Logger LOG = Logger.getLogger(OpenRequests.class);

  private static final String CLOSED = OpenRequests.class.getName();

  private final Map<RoutingContext, Validity> open = new ConcurrentHashMap<>();
  private final Credentials credentials;
  private final Clock clock;

  OpenRequests(Credentials credentials, Clock clock) {
    this.credentials = credentials;
    this.clock = clock;
  }

  /** Returns whether a request was closed here, because its caller is no longer valid. */
  public static boolean haveClosed(RoutingContext request) {
    return request.get(CLOSED) != null;
  }

  /** The time for which a request may last. */
  sealed interface Validity {

    record OfSecret(BearerSecret secret) implements Validity {}

    record Until(Instant end) implements Validity {}
  }

  /** Watches a request. Called once for each request, before its response ends. */
  void watch(RoutingContext request, Validity validity) {
    open.put(request, validity);
    request.addEndHandler(_ -> open.remove(request));
    if (request.response().closed()) {
      // The client is gone, and no handler is called for that any more.
      open.remove(request);
    }
  }

  void sweeps(@Observes StartupEvent start, Sweeps sweeps) {
    sweeps.add(Sweep.whenWanted("Open requests", () -> !isEmpty(), this::closeInvalid));
  }

  boolean isEmpty() {
    return open.isEmpty();
  }

  void closeInvalid() {
    open.forEach((request, validity) -> {
      if (!isValid(validity)) {
        open.remove(request);
        request.put(CLOSED, true).vertx().runOnContext(_ -> request.response().reset());
      }
    });
  }

  /** While the database does not answer, requests stay open. */
  private boolean isValid(Validity validity) {
    try {
      return switch (validity) {
        case Validity.OfSecret of -> credentials.isValid(of.secret());
        case Validity.Until until -> clock.instant().isBefore(until.end());
      };
    } catch (JdbiException fault) {
      LOG.debug("Whether a key is still valid is not known", fault);
      return true;
    }
  }
}
