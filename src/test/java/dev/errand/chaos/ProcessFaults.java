package dev.errand.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Faults of the processes of the service. */
final class ProcessFaults {

  private static final Duration TWO_LEASES = Duration.ofSeconds(42);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(40);

  /** Longer than {@code idle_in_transaction_session_timeout}. */
  private static final Duration LONG_TRANSACTION = Duration.ofSeconds(13);

  private static final Duration BEGIN_LIMIT = Duration.ofSeconds(10);
  private static final long A_DAY = Duration.ofDays(1).toSeconds();
  private static final Duration WITH_SHIFTED_CLOCK = Duration.ofSeconds(8);
  private static final long LONG_TOOL_MILLIS = 6_000;

  private ProcessFaults() {}

  static int killOne(Scenario.Stage stage) throws IOException, InterruptedException {
    var victim = stage.anyNode();
    var sessions = stage.takeovers().drivenBy(victim.pid());
    var from = System.nanoTime();
    victim.kill();
    stage.takeovers().await(sessions, from);
    victim.startAgain();
    Cluster.awaitReady(victim);
    return 1;
  }

  static int killAll(Scenario.Stage stage) throws IOException, InterruptedException {
    for (var node : stage.cluster().nodes()) {
      node.kill();
    }
    stage.cluster().heal();
    return stage.cluster().nodes().size();
  }

  /** Terminates one node after another while slow tools run. */
  static int terminateInTurn(Scenario.Stage stage) throws IOException, InterruptedException {
    for (var node : stage.cluster().nodes()) {
      stage.submit("slow", LONG_TOOL_MILLIS);
      var sessions = stage.takeovers().drivenBetweenTurnsBy(node.pid());
      var from = System.nanoTime();
      var watcher = Thread.ofVirtual().start(() -> stage.takeovers().await(sessions, from));
      if (!node.terminate(STOP_LIMIT)) {
        throw new IOException(node.name() + " did not stop within " + STOP_LIMIT);
      }
      watcher.join();
      node.startAgain();
      Cluster.awaitReady(node);
    }
    return stage.cluster().nodes().size();
  }

  static int stopInTransaction(Scenario.Stage stage) throws IOException, InterruptedException {
    var victim = stage.anyNode();
    victim.proxy().awaitBegin(BEGIN_LIMIT);
    victim.signal("STOP");
    Thread.sleep(LONG_TRANSACTION);
    victim.signal("CONT");
    Cluster.awaitReady(victim);
    return 1;
  }

  static int pauseForTwoLeases(Scenario.Stage stage) throws IOException, InterruptedException {
    var victim = stage.anyNode();
    var sessions = stage.takeovers().drivenBy(victim.pid());
    var from = System.nanoTime();
    victim.signal("STOP");
    stage.takeovers().await(sessions, from);
    var remaining = TWO_LEASES.minusNanos(System.nanoTime() - from);
    Thread.sleep(remaining.isNegative() ? Duration.ZERO : remaining);
    victim.signal("CONT");
    Cluster.awaitReady(victim);
    return 1;
  }

  /**
   * Restarts a node with a clock that is a day off; no decision may depend on the clock of a node.
   */
  static int shiftClock(Scenario.Stage stage) throws IOException, InterruptedException {
    var clock = clock(stage.cluster().home());
    var victim = stage.anyNode();
    var shift = stage.random().nextBoolean() ? A_DAY : -A_DAY;
    restart(victim, Map.of("LD_PRELOAD", clock.toString(), "CLOCK_SHIFT", Long.toString(shift)));
    Thread.sleep(WITH_SHIFTED_CLOCK);
    restart(victim, Map.of());
    return 1;
  }

  /**
   * Builds a library that, when preloaded, shifts the wall clock but not the monotonic clock.
   * {@code faketime} is not used because it makes timed waits of a JVM spin.
   */
  private static Path clock(Path home) throws IOException, InterruptedException {
    var library = home.resolve("clock.so");
    var source = home.resolve("clock.c");
    try (var c = ProcessFaults.class.getResourceAsStream("/chaos/clock.c")) {
      Files.copy(Objects.requireNonNull(c), source, StandardCopyOption.REPLACE_EXISTING);
    }
    var command = List.of("gcc", "-shared", "-fPIC", "-o", "" + library, "" + source, "-ldl");
    var exitCode = Processes.start(command, Map.of(), home.resolve("gcc.log")).waitFor();
    if (exitCode != 0) {
      throw new IOException("gcc ended with " + exitCode);
    }
    return library;
  }

  private static void restart(Node node, Map<String, String> environment)
      throws IOException, InterruptedException {
    if (!node.terminate(STOP_LIMIT)) {
      throw new IOException(node.name() + " did not stop within " + STOP_LIMIT);
    }
    node.startAgain(environment);
    Cluster.awaitReady(node);
  }
}
