package dev.errand.api;

import dev.errand.event.CloudEvent.StoredEvent;
import dev.errand.event.Deltas;
import dev.errand.event.EventStore;
import dev.errand.event.EventWaiters;
import dev.errand.http.SseWriter;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.JdbiException;

/**
 * The stream of one client: reads a page of events, writes it, and waits when the page was not
 * full. The position is the number of an event in the session's tree, so an event that is recorded
 * between two pages is on the next page.
 */
final class EventStream {

  private static final Logger LOG = Logger.getLogger(EventStream.class);

  private static final int PAGE = 50;
  private static final Duration DELAY_AFTER_ERROR = Duration.ofSeconds(1);
  private static final int RETRY_MS = 1_000;

  private final EventSource log;
  private final StreamRequest request;
  private final SpokenWords words;
  private final SseWriter writer;
  private final BooleanSupplier stopping;
  private long position;
  private long writtenAt;

  EventStream(EventSource log, StreamRequest request, SseWriter writer, BooleanSupplier stopping) {
    this.log = log;
    this.request = request;
    this.words = SpokenWords.open(log, request, writer);
    this.position = request.after();
    this.writer = writer;
    this.stopping = stopping;
  }

  /** The source of the events. */
  record EventSource(EventStore store, EventWaiters waits, Deltas deltas, Duration keepAlive) {}

  /**
   * What a client asks for.
   *
   * @param after the position after which the stream begins
   * @param deltas whether to include the words of models while they speak
   */
  record StreamRequest(EventStore.EventScope scope, long after, boolean deltas) {}

  /**
   * Streams until the client disconnects, the session is deleted or this node stops; in the last
   * case the client is sent the time to reconnect.
   *
   * @throws IOException the client has disconnected
   */
  void run() throws IOException, InterruptedException {
    try (words) {
      streamEvents();
    }
  }

  private void streamEvents() throws IOException, InterruptedException {
    comment();
    while (!isOver()) {
      try {
        if (!step()) {
          return;
        }
      } catch (JdbiException fault) {
        LOG.debug("A stream of events continues after an error of the database", fault);
        LockSupport.parkNanos(DELAY_AFTER_ERROR.toNanos());
        comment();
      }
    }
    writer.retry(Duration.ofMillis(RETRY_MS + ThreadLocalRandom.current().nextInt(RETRY_MS)));
  }

  /**
   * @return false when the session no longer exists
   */
  private boolean step() throws IOException, InterruptedException {
    var page = log.store().page(request.scope(), position, PAGE);
    if (page.isEmpty()) {
      return false;
    }
    var events = page.get().events();
    if (!events.isEmpty()) {
      words.precede(events);
      writer.events(events);
      written(events.getLast());
    }
    if (events.size() < PAGE) {
      words.begin();
      awaitMore(Math.max(page.get().newest(), position));
    }
    return true;
  }

  private void awaitMore(long seen) throws IOException, InterruptedException {
    var silentFor = Duration.ofNanos(System.nanoTime() - writtenAt);
    if (silentFor.compareTo(log.keepAlive()) >= 0) {
      comment();
      silentFor = Duration.ZERO;
    }
    var watch = new EventWaiters.StreamWatch(request.scope().session(), seen, this::isOver);
    log.waits().await(watch, log.keepAlive().minus(silentFor));
  }

  private boolean isOver() {
    return stopping.getAsBoolean() || writer.isClosed();
  }

  private void comment() throws IOException {
    writer.comment();
    writtenAt = System.nanoTime();
  }

  private void written(StoredEvent last) {
    position = last.number();
    writtenAt = System.nanoTime();
  }
}
