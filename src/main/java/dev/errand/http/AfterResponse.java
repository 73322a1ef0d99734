package dev.errand.http;

import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import jakarta.inject.Singleton;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jboss.logging.Logger;

/** Actions that depend on whether the client of the current request got its response. */
@Singleton
public class AfterResponse {

  private static final Logger LOG = Logger.getLogger(AfterResponse.class);

  private final CurrentVertxRequest current;

  AfterResponse(CurrentVertxRequest current) {
    this.current = current;
  }

  /**
   * Runs one of the actions, in a thread of its own: {@code written} after a successful response
   * was written to an open connection, otherwise {@code lost}. Neither runs when the node dies
   * before.
   */
  public void run(Runnable written, Runnable lost) {
    var routing = current.getCurrent();
    var response = routing.response();
    var over = new AtomicBoolean();
    routing.addEndHandler(end -> {
      if (over.compareAndSet(false, true)) {
        var received = end.succeeded() && !response.closed() && response.getStatusCode() / 100 == 2;
        start(received ? written : lost);
      }
    });
    if (response.closed() && over.compareAndSet(false, true)) {
      start(lost);
    }
  }

  private static void start(Runnable action) {
    Thread.ofVirtual()
        .name("after response")
        .start(() -> {
          try {
            action.run();
          } catch (RuntimeException fault) {
            LOG.warn("An action after a response failed", fault);
          }
        });
  }
}
