package dev.errand.node;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Sends hints and texts to the other nodes with NOTIFY: at most every 20 ms, and never in a
 * business transaction, because NOTIFY takes a lock on the whole server at commit.
 */
@Singleton
class HintSender {

  /**
   * The channel of texts. It is not that of hints, because nodes of versions that know no texts
   * would take their words for topics.
   */
  static final String TEXTS = "errand_text";

  private static final String HINT =
      "select pg_notify('errand_hint', payload)::text from unnest(:payloads) payload";
  private static final String TEXT =
      "select pg_notify('errand_text', payload)::text from unnest(:payloads) payload";

  private static final Logger LOG = Logger.getLogger(HintSender.class);
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final int MAX_TEXTS = 100;
  private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

  private final Jdbi jdbi;
  private final Node node;
  private final Set<Topic> unsent = EnumSet.noneOf(Topic.class);
  private final BlockingQueue<String> unsentTexts = new ArrayBlockingQueue<>(MAX_TEXTS);
  private final WakeSignal toSend = new WakeSignal();
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

  /**
   * Returns at once; the text is sent by the same thread.
   *
   * @return false when too many texts are unsent; this one is dropped
   */
  boolean send(String text) {
    var isAccepted = unsentTexts.offer(text);
    toSend.raise();
    return isAccepted;
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
    var texts = new ArrayList<String>();
    unsentTexts.drainTo(texts);
    try {
      if (!topics.isEmpty()) {
        notifyNodes(HINT, List.of(new Hint(node.id(), topics).payload()));
      }
      if (!texts.isEmpty()) {
        notifyNodes(TEXT, texts.stream().map(text -> node.id() + " " + text).toList());
      }
    } catch (RuntimeException fault) {
      LOG.debug("A hint to the other nodes was lost; their polling finds the work", fault);
    }
  }

  private void notifyNodes(String statement, List<String> payloads) {
    jdbi.useHandle(handle ->
        handle
            .createQuery(statement)
            .bindArray("payloads", String.class, payloads)
            .mapTo(String.class)
            .list());
  }

  private Set<Topic> takeUnsent() {
    synchronized (unsent) {
      var topics = EnumSet.copyOf(unsent);
      unsent.clear();
      return topics;
    }
  }

  /**
   * Wakes the one thread that waits for it. Signals that arrive before the thread looks are one.
   */
  static final class WakeSignal {

    private final Semaphore raised = new Semaphore(0);
    private volatile boolean closed;

    void raise() {
      raised.release();
    }

    /**
     * Blocks until the signal is raised or closed.
     *
     * @return false when the signal is closed
     */
    boolean await() {
      raised.acquireUninterruptibly();
      raised.drainPermits();
      return !closed;
    }

    /** Ends {@link #await()}, now and from now on. */
    void close() {
      closed = true;
      raised.release();
    }
  }

  /** A notification from one node to the others: {@code <node id> TOPIC,TOPIC}. */
  record Hint(UUID sender, Set<Topic> topics) {

    private static final Pattern PAYLOAD =
        Pattern.compile("(\\p{XDigit}{8}(?:-\\p{XDigit}{4}){3}-\\p{XDigit}{12}) (.*)");

    /**
     * Reads a payload. Topics that this version does not know are left out, because a newer node
     * may send them. Any other text gives an empty result: every client of the database may notify.
     */
    static Optional<Hint> parse(String payload) {
      var matcher = PAYLOAD.matcher(payload);
      if (!matcher.matches()) {
        return Optional.empty();
      }
      var names = Arrays.asList(matcher.group(2).split(","));
      var topics = EnumSet.allOf(Topic.class);
      topics.removeIf(topic -> !names.contains(topic.name()));
      return Optional.of(new Hint(UUID.fromString(matcher.group(1)), topics));
    }

    String payload() {
      return sender + " " + topics.stream().map(Topic::name).collect(Collectors.joining(","));
    }
  }
}
