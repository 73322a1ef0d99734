package dev.errand.node;

import static java.util.stream.Collectors.joining;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.NonBlocking;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import org.jdbi.v3.core.Jdbi;

/**
 * Runs the sweeps of this node (architecture, rule 13). Once a second, one query asks which of them
 * have something to do, and only those run, each on a thread of its own: none delays another, and
 * those that this process wants do not wait for the query either. Executions of one sweep do not
 * overlap.
 */
@Singleton
public class Sweeps {

  private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

  private final Jdbi jdbi;
  private final Node node;
  private final ScheduledJobLog log;
  private final List<Sweep> all = new CopyOnWriteArrayList<>();
  private final Sweep question = Sweep.whenWanted("Looking for due work", () -> true, this::ask);
  private final Map<Sweep, Thread> running = new ConcurrentHashMap<>();

  /** One permit if a tick has passed since the last query. */
  private final Semaphore ticks = new Semaphore(0);

  /** A platform thread, which costs an idle node less than a new virtual thread at each tick. */
  private final Thread asker =
      Thread.ofPlatform().daemon().name("sweeps").unstarted(this::askAtTicks);

  private volatile long second;
  private volatile boolean stopped;

  Sweeps(Jdbi jdbi, Node node, ScheduledJobLog log) {
    this.jdbi = jdbi;
    this.node = node;
    this.log = log;
  }

  /** Adds a sweep. Called by the observers of the start, before the first tick. */
  public void add(Sweep sweep) {
    all.add(sweep);
  }

  @NonBlocking
  @Scheduled(every = "1s")
  void tick() {
    second++;
    all.stream().filter(sweep -> sweep.wanted().getAsBoolean()).forEach(this::start);
    if (ticks.availablePermits() == 0) {
      ticks.release();
    }
  }

  void begin(@Observes StartupEvent start) {
    asker.start();
  }

  private void askAtTicks() {
    ticks.acquireUninterruptibly();
    while (!stopped) {
      run(question);
      ticks.acquireUninterruptibly();
    }
  }

  private void ask() {
    var asked = List.copyOf(all);
    jdbi.withHandle(
            handle -> handle.createQuery(question(asked)).map((row, _) -> due(asked, row)).one())
        .forEach(this::start);
  }

  String question() {
    return question(all);
  }

  /**
   * Returns a query for one row with a column for each sweep. It has no parameters, so that it is
   * planned once.
   */
  private String question(List<Sweep> asked) {
    return asked.stream()
        .map(sweep -> String.join(" or ", sweep.due()))
        .collect(joining("),\n  (", "select\n  (", ")"))
        .replace(":node", "'" + node.id() + "'");
  }

  private static List<Sweep> due(List<Sweep> asked, ResultSet row) throws SQLException {
    var due = new ArrayList<Sweep>();
    for (int i = 0; i < asked.size(); i++) {
      if (row.getBoolean(i + 1)) {
        due.add(asked.get(i));
      }
    }
    return due;
  }

  private void start(Sweep sweep) {
    if (stopped || second % sweep.seconds() != 0) {
      return;
    }
    var thread = Thread.ofVirtual().name(sweep.name()).unstarted(() -> run(sweep));
    if (running.putIfAbsent(sweep, thread) == null) {
      thread.start();
    }
  }

  private void run(Sweep sweep) {
    try {
      sweep.action().run();
      log.succeeded(sweep.name());
    } catch (RuntimeException | Error fault) {
      // Also an error: the thread of the query has to survive it.
      log.failed(sweep.name(), fault);
    } finally {
      running.remove(sweep);
    }
  }

  /** Stops after the node has released its sessions, and before the database stops. */
  void stop(@Observes @Priority(111) ShutdownEvent stop) throws InterruptedException {
    stopped = true;
    ticks.release();
    asker.join(STOP_LIMIT);
    for (var thread : running.values()) {
      thread.join(STOP_LIMIT);
    }
  }
}
