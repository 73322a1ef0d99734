package dev.errand.node;

import dev.errand.postgres.AfterCommit;
import io.quarkus.arc.All;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import org.jboss.logging.Logger;

/**
 * Tells the listeners of this node, and through {@link HintChannel} those of the others, that there
 * is something to do.
 */
@ApplicationScoped
public class Hints {

  private static final Logger LOG = Logger.getLogger(Hints.class);

  private final List<HintListener> listeners;
  private final AfterCommit afterCommit;
  private final HintChannel channel;
  private final Map<Topic, Semaphore> signals = new EnumMap<>(Topic.class);

  Hints(@All List<HintListener> listeners, AfterCommit afterCommit, HintChannel channel) {
    this.listeners = listeners;
    this.afterCommit = afterCommit;
    this.channel = channel;
    for (var topic : Topic.values()) {
      signals.put(topic, new Semaphore(0));
    }
  }

  void start(@Observes StartupEvent start) {
    signals.forEach((topic, signal) ->
        Thread.ofVirtual().name("hints-" + topic).start(() -> dispatch(topic, signal)));
    channel.open(this::signal);
  }

  /**
   * Gives the hint when the current transaction has committed; at once when there is none; never
   * after a rollback.
   */
  public void afterCommit(Topic topic) {
    afterCommit.once(topic, () -> give(topic));
  }

  private void give(Topic topic) {
    signal(topic);
    channel.send(topic);
  }

  private void signal(Topic topic) {
    Objects.requireNonNull(signals.get(topic)).release();
  }

  private void dispatch(Topic topic, Semaphore signal) {
    var interested = listeners.stream().filter(listener -> listener.topic() == topic).toList();
    while (!Thread.currentThread().isInterrupted()) {
      signal.acquireUninterruptibly();
      signal.drainPermits();
      interested.forEach(Hints::tell);
    }
  }

  /** Around one tick: whatever fails here is tried again at the next hint or scan. */
  private static void tell(HintListener listener) {
    try {
      listener.hinted();
    } catch (RuntimeException fault) {
      LOG.warnf(
          fault, "Acting on a hint for %s failed; the next scan tries again", listener.topic());
    }
  }
}
