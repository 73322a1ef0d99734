package dev.errand.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Clients that submit tasks all the time to random nodes and repeat a submission with the same key
 * until a node accepts it. The accepted tasks are recorded here, outside the service.
 */
final class Load implements AutoCloseable {

  private static final Logger LOG = Logger.getLogger(Load.class);
  private static final int CLIENTS = 3;
  private static final int MAX_LIVE = 20;

  /** Between two submissions of a client; the short list of scenarios has less load. */
  private static final long PAUSE_MILLIS = Long.getLong("chaos.pause", 900);

  private static final int TASKS_OF_A_PARENT = 3;

  private final Cluster cluster;
  private final long seed;
  private final Map<String, String> accepted = new ConcurrentHashMap<>();
  private final AtomicInteger numbers = new AtomicInteger();
  private final List<Thread> clients;
  private volatile String scenario = "warm-up";
  private volatile boolean stopped;
  private volatile int live;

  Load(Cluster cluster, long seed) {
    this.cluster = cluster;
    this.seed = seed;
    this.clients =
        IntStream.range(0, CLIENTS)
            .mapToObj(number -> Thread.ofVirtual().start(() -> run(new Random(seed + number))))
            .toList();
    Thread.ofVirtual().start(this::watch);
  }

  /** Sets the scenario name that the keys of later tasks begin with. */
  void scenario(String name) {
    scenario = name;
  }

  /** The tasks that the service has accepted: the key of each task by its id. */
  Map<String, String> accepted() {
    return Map.copyOf(accepted);
  }

  private void watch() {
    while (!stopped) {
      try {
        live =
            cluster
                .jdbi()
                .withHandle(handle ->
                    handle
                        .createQuery(
                            "select count(*) from task where state in ('pending', 'running')")
                        .mapTo(Integer.class)
                        .one());
      } catch (RuntimeException databaseUnavailable) {
        LOG.debug("the database is unavailable", databaseUnavailable);
      }
      pause();
    }
  }

  private void run(Random random) {
    while (!stopped) {
      pause();
      if (live > MAX_LIVE) {
        continue;
      }
      if (random.nextInt(6) == 0) {
        submitMessage(random);
      } else {
        submitTask(random);
      }
    }
  }

  private Errand errand(Random random) {
    return Errand.drawn(scenario + "-" + numbers.incrementAndGet(), random);
  }

  private void submitTask(Random random) {
    var errand = errand(random);
    var answer = repeatUntilAccepted(random, "/v1/tasks", errand.asTask(true), 202, errand.key());
    if (answer != null) {
      accepted.put(answer.at("/metadata/task_id").asText(), errand.key());
    }
  }

  /** Asks a hosted parent to delegate some tasks; the checker counts its notices. */
  private void submitMessage(Random random) {
    var session = repeatUntilAccepted(random, "/v1/sessions", Map.of(), 201, "");
    if (session != null) {
      var lines =
          IntStream.range(0, TASKS_OF_A_PARENT)
              .mapToObj(_ -> errand(random).prompt())
              .collect(Collectors.joining("\n"));
      var node = anyNode(random);
      try {
        node.post(
            "/v1/sessions/" + session.get("id").asText() + "/messages",
            Map.of("text", "delegate\n" + lines),
            202);
      } catch (IOException exception) {
        LOG.debug("the message has no key, so it may or may not be accepted", exception);
      }
    }
  }

  private @Nullable JsonNode repeatUntilAccepted(
      Random random, String path, Object body, int expected, String key) {
    for (int attempt = 0; attempt < 200 && !stopped; attempt++) {
      try {
        return key.isEmpty()
            ? anyNode(random).post(path, body, expected)
            : anyNode(random).post(path, body, expected, "Idempotency-Key", key + "-" + seed);
      } catch (IOException exception) {
        pause();
      }
    }
    return null;
  }

  private Node anyNode(Random random) {
    return cluster.nodes().get(random.nextInt(cluster.nodes().size()));
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException exception) {
      Thread.currentThread().interrupt();
    }
  }

  /** Stops the clients; the service finishes accepted tasks without them. */
  @Override
  public void close() throws InterruptedException {
    stopped = true;
    for (var client : clients) {
      client.join();
    }
  }
}
