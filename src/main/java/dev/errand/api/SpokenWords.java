package dev.errand.api;

import dev.errand.conversation.SessionId;
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

/**
 * The words of models in the stream of one client, written between its events. Words of an answer
 * are not written after the event that ends its model call, because the stored message has replaced
 * them.
 */
final class SpokenWords {

  private static final Logger LOG = Logger.getLogger(SpokenWords.class);

  private final EventStore store;
  private final EventScope scope;
  private final SseWriter writer;
  private final ReentrantLock lock = new ReentrantLock();

  /** The last model call of each session that has ended, by the source of its event. */
  private final Map<String, CallNumber> ended = new HashMap<>();

  /** Whether the stream includes a session. It never changes. */
  private final Map<SessionId, Boolean> included = new HashMap<>();

  SpokenWords(EventStore store, EventScope scope, SseWriter writer) {
    this.store = store;
    this.scope = scope;
    this.writer = writer;
  }

  private record CallNumber(long seq, int attempt) {

    boolean isAfter(CallNumber other) {
      return seq > other.seq || (seq == other.seq && attempt > other.attempt);
    }
  }

  /** Takes note of events, before they are written. */
  void precede(List<StoredEvent> events) {
    lock.lock();
    try {
      for (var stored : events) {
        var event = stored.event();
        if (event.type().equals(EventType.MODEL_ENDED.word())) {
          var data = event.data();
          ended.put(
              event.source(),
              new CallNumber(data.path("seq").asLong(), data.path("attempt").asInt()));
        } else if (event.type().equals(EventType.MODEL_STARTED.word())) {
          ended.remove(event.source());
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Writes words until the queue is closed or the client has disconnected. */
  void write(DeltaQueue queue) {
    try {
      for (var next = queue.next(); next.isPresent(); next = queue.next()) {
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
