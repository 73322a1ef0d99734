package dev.errand.api;

import dev.errand.api.http.SseWriter;
import dev.errand.event.EventStore;
import dev.errand.event.EventWaiters;
import dev.errand.event.StoredEvent;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.JdbiException;

/**
 * One client's stream: reads a page, writes it, and waits for more when there was no more. Its
 * place is a number in its tree, so whatever happens between two pages is on the next one.
 */
final class EventStream {

  private static final Logger LOG = Logger.getLogger(EventStream.class);

  private static final int PAGE = 50;
  private static final Duration AFTER_A_FAULT = Duration.ofSeconds(1);
  private static final int RETRY_MS = 1_000;

  private final Log log;
  private final EventStore.Scope scope;
  private final SseWriter writer;
  private final BooleanSupplier stopping;
  private long place;
  private long writtenAt;

  EventStream(
      Log log, EventStore.Scope scope, long after, SseWriter writer, BooleanSupplier stopping) {
    this.log = log;
    this.scope = scope;
    this.place = after;
    this.writer = writer;
    this.stopping = stopping;
  }

  /** Where events come from. */
  record Log(EventStore store, EventWaiters waits, Duration keepAlive) {}

  /**
   * Streams until the client or the session is gone, or this node stops: then the client is told to
   * come back.
   *
   * @throws IOException the client is gone
   */
  void run() throws IOException, InterruptedException {
    comment();
    while (!isOver()) {
      try {
        if (!step()) {
          return;
        }
      } catch (JdbiException trouble) {
        LOG.debug("The database failed a stream of events; it goes on", trouble);
        LockSupport.parkNanos(AFTER_A_FAULT.toNanos());
        comment();
      }
    }
    writer.retry(Duration.ofMillis(RETRY_MS + ThreadLocalRandom.current().nextInt(RETRY_MS)));
  }

  /**
   * @return false when there is no such session any more
   */
  private boolean step() throws IOException, InterruptedException {
    var page = log.store().page(scope, place, PAGE);
    if (page.isEmpty()) {
      return false;
    }
    var events = page.get().events();
    if (!events.isEmpty()) {
      writer.events(events);
      written(events.getLast());
    }
    if (events.size() < PAGE) {
      awaitMore(Math.max(page.get().newest(), place));
    }
    return true;
  }

  private void awaitMore(long seen) throws IOException, InterruptedException {
    var silentFor = Duration.ofNanos(System.nanoTime() - writtenAt);
    if (silentFor.compareTo(log.keepAlive()) >= 0) {
      comment();
      silentFor = Duration.ZERO;
    }
    var watch = new EventWaiters.Watch(scope.session(), seen, this::isOver);
    log.waits().await(watch, log.keepAlive().minus(silentFor));
  }

  private boolean isOver() {
    return stopping.getAsBoolean() || writer.clientIsGone();
  }

  private void comment() throws IOException {
    writer.comment();
    writtenAt = System.nanoTime();
  }

  private void written(StoredEvent last) {
    place = last.number();
    writtenAt = System.nanoTime();
  }
}
