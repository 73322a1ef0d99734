package dev.errand.node;

import dev.errand.node.HintSender.WakeSignal;
import dev.errand.postgres.AfterCommit;
import io.quarkus.arc.All;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/** Notifies the listeners of this node and of the other nodes that there is something to do. */
@ApplicationScoped
public class Hints {

  private static final Logger LOG = Logger.getLogger(Hints.class);

  private final List<HintListener> listeners;
  private final AfterCommit afterCommit;
  private final HintSender sender;
  private final HintReceiver receiver;
  private final Map<Topic, WakeSignal> signals = new EnumMap<>(Topic.class);

  private volatile Consumer<String> textListener = _ -> {};

  Hints(
      @All List<HintListener> listeners,
      AfterCommit afterCommit,
      HintSender sender,
      HintReceiver receiver) {
    this.listeners = listeners;
    this.afterCommit = afterCommit;
    this.sender = sender;
    this.receiver = receiver;
    for (var topic : Topic.values()) {
      signals.put(topic, new WakeSignal());
    }
  }

  void start(@Observes StartupEvent start) {
    signals.forEach((topic, signal) ->
        Thread.ofVirtual().name("hints-" + topic).start(() -> dispatch(topic, signal)));
    sender.open();
    receiver.open(this::raise, text -> textListener.accept(text));
  }

  /**
   * Stops after the node has released its sessions and deleted its row, and before the database
   * stops.
   */
  void stop(@Observes @Priority(110) ShutdownEvent stop) throws InterruptedException {
    signals.values().forEach(WakeSignal::close);
    sender.close();
    receiver.close();
  }

  /**
   * Gives the hint when the current transaction has committed, or at once when there is no
   * transaction. A rollback drops the hint.
   */
  public void afterCommit(Topic topic) {
    afterCommit.once(topic, () -> give(topic));
  }

  /** Gives the hint at once. */
  public void give(Topic topic) {
    raise(topic);
    if (topic.isForAllNodes()) {
      sender.send(topic);
    }
  }

  /**
   * Sends a text to the other nodes, soon, outside of transactions and without waiting. It may be
   * lost, and nodes of an older version do not hear it.
   *
   * @param text at most 7 kB in UTF-8
   * @return false when too many texts wait to be sent; this one is dropped
   */
  public boolean tell(String text) {
    return sender.send(text);
  }

  /**
   * Sets who hears the texts of the other nodes. Called on the thread that receives all hints, so
   * the listener must not block.
   */
  public void hear(Consumer<String> listener) {
    textListener = listener;
  }

  private void raise(Topic topic) {
    Objects.requireNonNull(signals.get(topic)).raise();
  }

  private void dispatch(Topic topic, WakeSignal signal) {
    var interested = listeners.stream().filter(listener -> listener.topic() == topic).toList();
    while (signal.await()) {
      interested.forEach(Hints::call);
    }
  }

  /** A failure is not repeated here: the next hint or the next scan tries again. */
  private static void call(HintListener listener) {
    try {
      listener.hinted();
    } catch (RuntimeException fault) {
      LOG.warnf(
          fault, "Acting on a hint for %s failed; the next scan tries again", listener.topic());
    }
  }
}
