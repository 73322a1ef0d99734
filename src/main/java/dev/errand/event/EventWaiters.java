package dev.errand.event;

import dev.errand.conversation.SessionId;
import dev.errand.node.HintListener;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.node.Topic;
import dev.errand.node.Waiters;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** Streams that wait for new events, in any tree. One query checks for all of them. */
@Singleton
public class EventWaiters implements HintListener {

  private final EventStore store;
  private final Waiters<StreamWatch> waiters;

  EventWaiters(EventStore store) {
    this.store = store;
    this.waiters = new Waiters<>(this::findWithNews);
  }

  /**
   * A stream that waits.
   *
   * @param seen the highest number of the tree that the stream has already seen
   * @param over whether the stream need not wait any longer; checked once a second
   */
  public record StreamWatch(SessionId session, long seen, BooleanSupplier over) {}

  /**
   * Blocks until there are new events in the tree of the session, the session is deleted, the watch
   * is over, or {@code limit} has passed. Uses no connection while it waits.
   */
  public void await(StreamWatch watch, Duration limit) throws InterruptedException {
    waiters.await(watch, limit);
  }

  void sweeps(@Observes StartupEvent start, Sweeps sweeps) {
    sweeps.add(Sweep.whenWanted("Streams that wait", waiters::isAwaited, this::hinted));
  }

  @Override
  public Topic topic() {
    return Topic.EVENTS;
  }

  @Override
  public void hinted() {
    waiters.check();
  }

  /** Releases all streams, and makes later calls return at once: the process stops. */
  public void close() {
    waiters.close();
  }

  private Set<StreamWatch> findWithNews(Set<StreamWatch> watches) {
    var sessions =
        watches.stream()
            .filter(watch -> !watch.over().getAsBoolean())
            .map(StreamWatch::session)
            .collect(Collectors.toSet());
    var newest = sessions.isEmpty() ? Map.<SessionId, Long>of() : store.newest(sessions);
    return watches.stream()
        .filter(watch ->
            watch.over().getAsBoolean()
                || newest.getOrDefault(watch.session(), Long.MAX_VALUE) > watch.seen())
        .collect(Collectors.toSet());
  }
}
