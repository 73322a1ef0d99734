package dev.errand.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.TaskKit;
import dev.errand.postgres.DatabaseAddress;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A second receiver next to the one of the service, on the same database. */
@QuarkusTest
class HintReceiverDbTest {

  private final Node node = new Node();
  private final Queue<Topic> received = new ConcurrentLinkedQueue<>();
  private final Queue<String> texts = new ConcurrentLinkedQueue<>();
  private final Set<Thread> threadsBefore = Set.copyOf(Thread.getAllStackTraces().keySet());

  @Inject Jdbi jdbi;
  @Inject TaskKit kit;
  @Inject DatabaseAddress database;

  private HintReceiver receiver;

  @BeforeEach
  void open() {
    kit.begin();
    receiver = openReceiver(received::add);
    awaitListening();
  }

  @AfterEach
  void close() throws InterruptedException {
    receiver.close();
  }

  @Test
  void stoppedReceiverLeavesNoThreadNoConnectionAndNoLock() throws InterruptedException {
    var owner = lockOwner();
    assertThat(owner).isPresent();
    assertThat(listeningThreads()).hasSize(1);

    receiver.close();

    assertThat(listeningThreads()).isEmpty();
    await().until(() -> lockOwner().isEmpty());
    await().until(() -> !isConnected(owner.get()));
  }

  @Test
  void anotherReceiverOfTheSameProcessTakesTheLock() throws InterruptedException {
    receiver.close();
    await().until(() -> lockOwner().isEmpty());

    receiver = openReceiver(received::add);
    awaitListening();

    assertThat(lockOwner()).isPresent();
  }

  @Test
  void malformedNotificationsAreLoggedOnceAndSkipped() {
    var log = new WarningLog(listeningThreads());
    var logger = Logger.getLogger(HintReceiver.class.getName());
    logger.addHandler(log);
    try {
      notifyNodes("x");
      notifyNodes("");
      notifyNodes("not-a-uuid WORK,WORK");
      notifyNodes(node.id() + " WORK");
      notifyNodes(UUID.randomUUID() + " RUNS,RUNS,NEW_TOPIC");
      await().until(() -> !received.isEmpty());
    } finally {
      logger.removeHandler(log);
    }

    assertThat(received).containsExactly(Topic.RUNS);
    assertThat(log.warnings).hasValue(1);
  }

  @Test
  void textsOfOtherNodesAreHeard() {
    tell("x");
    tell(node.id() + " of this node");
    tell(UUID.randomUUID() + " one WORK,RUNS");
    tell(UUID.randomUUID() + " two");

    await().until(() -> texts.contains("two"));

    assertThat(texts).containsExactly("one WORK,RUNS", "two");
    assertThat(received).isEmpty();
  }

  @Test
  void failureOfTheConsumerDoesNotEndTheThread() throws InterruptedException {
    receiver.close();
    var failures = new AtomicInteger();

    receiver =
        openReceiver(topic -> {
          if (failures.getAndIncrement() == 0) {
            throw new IllegalStateException("fails once");
          }
          received.add(topic);
        });
    awaitListening();

    assertThat(listeningThreads()).hasSize(1);
  }

  /** As after a network failure that the server has not noticed. */
  @Test
  void waitForALockOfAnotherConnectionEndsOnTheServer() throws InterruptedException {
    receiver.close();
    await().until(() -> lockOwner().isEmpty());
    var waited = new HashSet<Integer>();

    jdbi.useHandle(handle -> {
      handle.execute("select pg_advisory_lock(?)", Node.lockKey(node.id()));
      receiver = openReceiver(received::add);
      await()
          .until(() -> {
            var waiting = waitingForTheLock();
            assertThat(waiting).hasSizeLessThanOrEqualTo(1);
            waited.addAll(waiting);
            return waited.size() > 1;
          });
      handle.execute("select pg_advisory_unlock(?)", Node.lockKey(node.id()));
    });

    awaitListening();
    assertThat(lockOwner()).isPresent();
  }

  private HintReceiver openReceiver(Consumer<Topic> consumer) {
    var opened = new HintReceiver(node, database);
    opened.open(consumer, texts::add);
    return opened;
  }

  /** After each connect, every topic is signalled once; a hint of the service may follow. */
  private void awaitListening() {
    await().until(() -> received.containsAll(Set.of(Topic.values())));
    received.clear();
  }

  private void tell(String payload) {
    jdbi.useHandle(handle -> handle.execute("select pg_notify('errand_text', ?)", payload));
  }

  private void notifyNodes(String payload) {
    jdbi.useHandle(handle -> handle.execute("select pg_notify('errand_hint', ?)", payload));
  }

  /** The server process that has the advisory lock of the node. */
  private Optional<Integer> lockOwner() {
    return atTheLock(true).stream().findAny();
  }

  private List<Integer> waitingForTheLock() {
    return atTheLock(false);
  }

  private List<Integer> atTheLock(boolean granted) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select pid from pg_locks
                where locktype = 'advisory' and granted = :granted and objsubid = 1
                  and (classid::bigint << 32 | objid::bigint) = :key
                """)
            .bind("granted", granted)
            .bind("key", Node.lockKey(node.id()))
            .mapTo(Integer.class)
            .list());
  }

  private boolean isConnected(int pid) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select exists (select 1 from pg_stat_activity where pid = :pid)")
            .bind("pid", pid)
            .mapTo(Boolean.class)
            .one());
  }

  /** Without the thread of the service itself. */
  private Set<Thread> listeningThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("hints-listen"))
        .filter(thread -> !threadsBefore.contains(thread))
        .collect(Collectors.toSet());
  }

  /** Counts the warnings of some threads. */
  private static final class WarningLog extends Handler {

    private final AtomicInteger warnings = new AtomicInteger();
    private final Set<Long> threads;

    WarningLog(Set<Thread> threads) {
      this.threads = threads.stream().map(Thread::threadId).collect(Collectors.toSet());
    }

    @Override
    public void publish(LogRecord entry) {
      if (entry.getLevel().intValue() >= Level.WARNING.intValue()
          && threads.contains(entry.getLongThreadID())) {
        warnings.incrementAndGet();
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
