package dev.errand.node;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Sends hints to the other nodes with NOTIFY: at most one every 20 ms, and never in a business
 * transaction, because NOTIFY takes a lock on the whole server at commit. A node that is alone
 * sends none.
 */
@ApplicationScoped
class HintSender {

  private static final Logger LOG = Logger.getLogger(HintSender.class);
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

  private final Jdbi jdbi;
  private final Node node;
  private final Set<Topic> unsent = EnumSet.noneOf(Topic.class);
  private final Signal toSend = new Signal();
  private final CountDownLatch closing = new CountDownLatch(1);
  private @Nullable Thread thread;

  HintSender(Jdbi jdbi, Node node) {
    this.jdbi = jdbi;
    this.node = node;
  }

  void open() {
    thread = Thread.ofVirtual().name("hints-send").start(this::sendAll);
  }

  /** Returns at once; the hint is sent by a thread of its own. */
  void send(Topic topic) {
    synchronized (unsent) {
      unsent.add(topic);
    }
    toSend.raise();
  }

  /** Sends what is still unsent and ends the thread. */
  void close() throws InterruptedException {
    closing.countDown();
    toSend.close();
    if (thread != null) {
      thread.join(STOP_LIMIT);
    }
  }

  private void sendAll() {
    while (toSend.await() && !isClosedWithin(PAUSE)) {
      sendUnsent();
    }
    sendUnsent();
  }

  private boolean isClosedWithin(Duration time) {
    try {
      return closing.await(time.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private void sendUnsent() {
    var topics = takeUnsent();
    if (topics.isEmpty() || node.isAlone()) {
      return;
    }
    try {
      jdbi.useHandle(handle ->
          handle
              .createQuery("select pg_notify('errand_hint', :hint)::text")
              .bind("hint", new Hint(node.id(), topics).payload())
              .mapTo(String.class)
              .findOne());
    } catch (RuntimeException fault) {
      LOG.debug("A hint to the other nodes was lost; their polling finds the work", fault);
    }
  }

  private Set<Topic> takeUnsent() {
    synchronized (unsent) {
      var topics = EnumSet.copyOf(unsent);
      unsent.clear();
      return topics;
    }
  }
}
