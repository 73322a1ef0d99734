package dev.errand.http;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.event.EventWaiters;
import dev.errand.http.ClientLimits.RequestPlace;
import dev.errand.setting.Bounds;
import io.quarkus.runtime.ShutdownDelayInitiatedEvent;
import io.quarkus.runtime.ShutdownEvent;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.vertx.core.Vertx;
import io.vertx.ext.web.RoutingContext;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jboss.logging.Logger;

/** The streams that this node serves. They end first when the node stops. */
@Singleton
public class OpenStreams {

  private static final Logger LOG = Logger.getLogger(OpenStreams.class);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(2);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition streamEnded = lock.newCondition();
  private final AtomicInteger open = new AtomicInteger();
  private final EventConfig config;
  private final EventWaiters waits;
  private final SseWriter.Sse sse;
  private volatile boolean stopping;

  OpenStreams(EventConfig config, EventWaiters waits, ObjectMapper mapper, Vertx vertx) {
    this.config = config;
    this.waits = waits;
    this.sse = new SseWriter.Sse(vertx, config.writeTimeout(), mapper);
  }

  /** The content of a stream, which is sent until the client, this node or the sender ends it. */
  public interface StreamContent {

    /**
     * @throws IOException the client has disconnected
     */
    void send(SseWriter writer) throws IOException, InterruptedException;
  }

  /** Returns the number of open streams. */
  public int open() {
    return open.get();
  }

  public boolean areTooMany() {
    return open.get() >= config.maxStreams();
  }

  public boolean areStopping() {
    return stopping;
  }

  /**
   * Answers a request with a stream of server-sent events.
   *
   * @param place of the client; closed at the end of the stream
   */
  public Response answer(RoutingContext request, RequestPlace place, StreamContent content) {
    StreamingOutput body =
        out -> {
          try (place) {
            serve(content, new SseWriter(out, request, sse));
          }
        };
    return Response.ok(body, MediaType.SERVER_SENT_EVENTS_TYPE)
        .header("Cache-Control", "no-store")
        .header("X-Accel-Buffering", "no")
        .build();
  }

  private void serve(StreamContent content, SseWriter writer) {
    open.incrementAndGet();
    try {
      content.send(writer);
    } catch (IOException gone) {
      LOG.debug("The client of a stream is gone", gone);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    } finally {
      open.decrementAndGet();
      signalStreamEnded();
    }
  }

  /** Ends the streams while the node still answers requests. */
  void stop(@Observes ShutdownDelayInitiatedEvent stop) {
    endAll();
  }

  /** Ends the streams when the stop has no delay. */
  void stop(@Observes @Priority(1) ShutdownEvent stop) {
    endAll();
  }

  /** Ends all streams and waits for them, so that each can tell its client when to reconnect. */
  private void endAll() {
    stopping = true;
    waits.close();
    awaitEnd();
  }

  private void signalStreamEnded() {
    lock.lock();
    try {
      streamEnded.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void awaitEnd() {
    lock.lock();
    try {
      var left = STOP_LIMIT.toNanos();
      while (open.get() > 0 && left > 0) {
        left = streamEnded.awaitNanos(left);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  /** Configuration of the streams of events. */
  @ConfigMapping(prefix = "errand.events")
  public interface EventConfig {

    /**
     * The time after which a comment is sent on a stream without events, 15 s by default. A shorter
     * time keeps proxies from closing the connection and detects disconnected clients sooner; a
     * longer time costs less.
     */
    @WithDefault("15s")
    @Bounds(min = "100ms")
    Duration keepAlive();

    /**
     * The time after which the stream of a client that reads nothing is closed, 30 s by default. A
     * shorter time frees memory sooner, a longer time tolerates slow networks. A client that
     * reconnects misses no event.
     */
    @WithDefault("30s")
    @Bounds(min = "100ms")
    Duration writeTimeout();

    /**
     * The number of streams that one node serves at the same time, 5,000 by default; more are
     * refused with 503. Each stream costs memory and a socket.
     */
    @WithDefault("5000")
    @Bounds(min = "0")
    int maxStreams();
  }
}
