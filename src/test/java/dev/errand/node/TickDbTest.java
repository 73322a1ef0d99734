package dev.errand.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Once a second, one query asks which sweeps have something to do. */
@QuarkusTest
class TickDbTest {

  /** An index that a plan uses on a table that keeps what has ended. */
  private static final Pattern USED =
      Pattern.compile("using (\\w+) on (?:task|session|outbox|tool_call|inbox)\\b");

  @Inject Jdbi jdbi;
  @Inject Node node;
  @Inject Sweeps sweepsOfTheService;

  private Sweeps sweeps;

  @BeforeEach
  void clockOfThisTest() {
    sweeps = new Sweeps(jdbi, node, new ScheduledJobLog());
    sweeps.begin(new StartupEvent());
  }

  @AfterEach
  void stop() throws InterruptedException {
    sweeps.stop(new ShutdownEvent());
  }

  @Test
  void sweepRunsWhileItsConditionIsTrue() {
    var due = new AtomicInteger();
    var wanted = new AtomicInteger();
    var neither = new AtomicInteger();
    sweeps.add(Sweep.whenDue("1", "false", neither::incrementAndGet));
    sweeps.add(
        Sweep.whenDue("2", "exists (select 1 from node where id = :node)", due::incrementAndGet));
    sweeps.add(Sweep.whenWanted("3", () -> true, wanted::incrementAndGet));
    sweeps.add(Sweep.whenWanted("4", () -> false, neither::incrementAndGet));

    tickUntil(due, 2);
    tickUntil(wanted, 2);
    assertThat(neither).hasValue(0);
  }

  @Test
  void sweepThatFailsOrHangsDoesNotStopTheOthers() {
    var hang = new CountDownLatch(1);
    var hanging = new AtomicInteger();
    var good = new AtomicInteger();
    sweeps.add(Sweep.whenDue("1", "true", () -> fail("by the test")));
    sweeps.add(
        Sweep.whenDue(
            "2",
            "true",
            () -> {
              hanging.incrementAndGet();
              awaitOpen(hang);
            }));
    sweeps.add(Sweep.whenDue("3", "true", good::incrementAndGet));

    tickUntil(hanging, 1);
    tickUntil(good, 3);
    assertThat(hanging).as("executions do not overlap").hasValue(1);
    hang.countDown();
  }

  /** Answered by indexes that contain only live rows, so that ended ones cost nothing. */
  @Test
  void queryReadsNoEndedRows() {
    var plan =
        jdbi.withHandle(handle -> {
          handle.execute("set enable_seqscan = off");
          try {
            return String.join(
                "\n",
                handle
                    .createQuery("explain (costs off) " + sweepsOfTheService.question())
                    .mapTo(String.class)
                    .list());
          } finally {
            handle.execute("reset enable_seqscan");
          }
        });

    assertThat(plan)
        .doesNotContain("Seq Scan on task", "Seq Scan on session", "Seq Scan on outbox")
        .doesNotContain("Seq Scan on tool_call", "Seq Scan on inbox");
    var used =
        USED.matcher(plan).results().map(found -> found.group(1)).collect(Collectors.toSet());
    assertThat(used).hasSizeGreaterThan(5);
    assertThat(wholeIndexes(used)).as("indexes that contain all rows").isEmpty();
  }

  private List<String> wholeIndexes(Set<String> names) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select relname from pg_index join pg_class on pg_class.oid = indexrelid
                where indpred is null and relname = any(:names)
                """)
            .bindArray("names", String.class, List.copyOf(names))
            .mapTo(String.class)
            .list());
  }

  private static void fail(String message) {
    throw new AssertionError(message);
  }

  private static void awaitOpen(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void tickUntil(AtomicInteger counter, int count) {
    await()
        .until(() -> {
          sweeps.tick();
          return counter.get() >= count;
        });
  }
}
