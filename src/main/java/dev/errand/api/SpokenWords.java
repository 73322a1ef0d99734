package dev.errand.api;

import dev.errand.api.EventStream.EventSource;
import dev.errand.api.EventStream.StreamRequest;
import dev.errand.conversation.SessionId;
import dev.errand.event.CloudEvent;
import dev.errand.event.CloudEvent.StoredEvent;
import dev.errand.event.DeltaQueue;
import dev.errand.event.EventStore;
import dev.errand.event.EventStore.EventScope;
import dev.errand.event.EventType;
import dev.errand.event.MessageDelta;
import dev.errand.http.SseWriter;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * The words of models in the stream of one client, written between its events by a thread of their
 * own. Words of an answer are not written after the event that ends its model call, because the
 * stored message has replaced them.
 */
final class SpokenWords implements AutoCloseable {

  private static final Logger LOG = Logger.getLogger(SpokenWords.class);

  private final EventStore store;
  private final EventScope scope;
  private final SseWriter writer;
  private final @Nullable DeltaQueue queue;
  private final ReentrantLock lock = new ReentrantLock();

  /** The last model call of each session that has ended, by the source of its event. */
  private final Map<String, CallNumber> ended = new HashMap<>();

  /** Whether the stream includes a session. It never changes. */
  private final Map<SessionId, Boolean> included = new HashMap<>();

  private @Nullable Thread thread;

  /**
   * @param queue null when the client does not want words
   */
  private SpokenWords(
      EventStore store, EventScope scope, SseWriter writer, @Nullable DeltaQueue queue) {
    this.store = store;
    this.scope = scope;
    this.writer = writer;
    this.queue = queue;
  }

  /** Begins to collect the words that a client asks for. */
  static SpokenWords open(EventSource log, StreamRequest request, SseWriter writer) {
    var scope = request.scope();
    var queue = request.deltas() ? log.deltas().open(scope) : null;
    return new SpokenWords(log.store(), scope, writer, queue);
  }

  private record CallNumber(long seq, int attempt) {

    boolean isAfter(CallNumber other) {
      return seq > other.seq || (seq == other.seq && attempt > other.attempt);
    }
  }

  /** Writes words from now on: the stream has written the events of the past. Idempotent. */
  void begin() {
    var wanted = queue;
    if (wanted != null && thread == null) {
      thread = Thread.ofVirtual().name("words").start(() -> write(wanted));
    }
  }

  /** Ends the thread. */
  @Override
  public void close() throws InterruptedException {
    if (queue != null) {
      queue.close();
    }
    if (thread != null) {
      thread.join();
    }
  }

  /** Takes note of events, before they are written. */
  void precede(List<StoredEvent> events) {
    if (queue == null) {
      return;
    }
    lock.lock();
    try {
      events.forEach(stored -> note(stored.event()));
    } finally {
      lock.unlock();
    }
  }

  private void note(CloudEvent event) {
    if (event.type().equals(EventType.MODEL_ENDED.word())) {
      var data = event.data();
      ended.put(
          event.source(), new CallNumber(data.path("seq").asLong(), data.path("attempt").asInt()));
    } else if (event.type().equals(EventType.MODEL_STARTED.word())) {
      ended.remove(event.source());
    }
  }

  /** Writes words until the queue is closed or the client has disconnected. */
  private void write(DeltaQueue words) {
    try {
      for (var next = words.next(); next.isPresent(); next = words.next()) {
        if (includes(next.get().call().session())) {
          write(next.get());
        }
      }
    } catch (IOException gone) {
      LOG.debug("The client of a stream is gone", gone);
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean includes(SessionId session) {
    if (!scope.tree()) {
      return true;
    }
    try {
      return included.computeIfAbsent(session, one -> store.isWithin(one, scope.session()));
    } catch (JdbiException fault) {
      LOG.debug("Words are dropped after an error of the database", fault);
      return false;
    }
  }

  private void write(MessageDelta delta) throws IOException {
    var event = delta.event();
    var number = new CallNumber(delta.call().seq(), delta.call().attempt());
    lock.lock();
    try {
      var last = ended.get(event.source());
      if (last == null || number.isAfter(last)) {
        writer.unnumbered(event);
      }
    } finally {
      lock.unlock();
    }
  }
}
