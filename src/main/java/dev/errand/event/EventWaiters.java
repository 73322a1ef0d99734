package dev.errand.event;

import dev.errand.conversation.SessionId;
import dev.errand.node.HintListener;
import dev.errand.node.Topic;
import dev.errand.node.Waiters;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** Those who wait for more events, in whatever tree: one query looks for all of them. */
@ApplicationScoped
public class EventWaiters implements HintListener {

  private final EventStore store;
  private final Waiters<Watch> waits;

  EventWaiters(EventStore store) {
    this.store = store;
    this.waits = new Waiters<>(this::thoseWithNews);
  }

  /**
   * Somebody who waits.
   *
   * @param seen the highest number of the tree that is no news
   * @param over whether he need not wait any longer; looked at once a second
   */
  public record Watch(SessionId session, long seen, BooleanSupplier over) {}

  /**
   * Blocks until there are new events in the session's tree, the session is gone, the watch is
   * over, or {@code limit} has passed; holds no connection meanwhile.
   */
  public void await(Watch watch, Duration limit) throws InterruptedException {
    waits.await(watch, limit);
  }

  @Override
  public Topic topic() {
    return Topic.EVENTS;
  }

  @Override
  @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  public void hinted() {
    waits.check();
  }

  /** Lets everybody go on, now and from now on: the process stops. */
  public void close() {
    waits.close();
  }

  private Set<Watch> thoseWithNews(Set<Watch> watches) {
    var sessions =
        watches.stream()
            .filter(watch -> !watch.over().getAsBoolean())
            .map(Watch::session)
            .collect(Collectors.toSet());
    var newest = sessions.isEmpty() ? Map.<SessionId, Long>of() : store.newest(sessions);
    return watches.stream()
        .filter(watch ->
            watch.over().getAsBoolean()
                || newest.getOrDefault(watch.session(), Long.MAX_VALUE) > watch.seen())
        .collect(Collectors.toSet());
  }
}
