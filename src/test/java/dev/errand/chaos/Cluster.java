package dev.errand.chaos;

import static org.awaitility.Awaitility.await;

import dev.errand.kit.Ports;
import dev.errand.kit.QueuedJobs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;

/** All processes of a run: the database, the model, the sink and the nodes. */
final class Cluster implements AutoCloseable {

  static final Duration START_LIMIT = Duration.ofSeconds(180);

  private static final String LEAD =
      """
      ---
      name: lead
      description: Delegates some of its work.
      subagents: [general]
      ---
      You may delegate.
      """;

  private static final String PAGE = "A line of a page that a task reads.\n".repeat(150);

  /** Only the tasks that read many pages fill this window. */
  private static final String SETTINGS =
      "errand.models.context-tokens.\"openai\\:gpt-test\" = 30000\n";

  private final Path home;
  private final ChaosDatabase database;
  private final int modelPort;
  private final long seed;
  private Process model;
  private final Process sink;
  private final List<Node> nodes = new ArrayList<>();

  Cluster(Path home, Chaos.Subject subject, long seed, int size) throws IOException {
    this.home = home;
    this.database = new ChaosDatabase(home);
    this.seed = seed;
    this.modelPort = Ports.free();
    startModel();
    var sinkPort = Ports.free();
    this.sink =
        Processes.java(
            SinkMain.class,
            home.resolve("sink.log"),
            Integer.toString(sinkPort),
            sinkFile().toString());
    var environment = environment(sinkPort);
    environment.putAll(subject.settings());
    var site = new Node.Site(subject.jar(), home, database.port(), environment);
    // The first one migrates the schema.
    nodes.add(new Node("node1", site));
    awaitReady(nodes.getFirst());
    QueuedJobs.check(database.jdbi());
    for (int number = 2; number <= size; number++) {
      nodes.add(new Node("node" + number, site));
    }
    nodes.forEach(Cluster::awaitReady);
  }

  private Map<String, String> environment(int sinkPort) throws IOException {
    var workspace = Files.createDirectories(home.resolve("workspace"));
    var agents = Files.createDirectories(home.resolve("agents"));
    Files.writeString(agents.resolve("lead.md"), LEAD);
    Files.writeString(workspace.resolve("page.txt"), PAGE);
    var settings = home.resolve("settings.properties");
    Files.writeString(settings, SETTINGS);
    var environment = new HashMap<String, String>();
    environment.put("QUARKUS_CONFIG_LOCATIONS", settings.toUri().toString());
    environment.put("ERRAND_MODEL", "openai:gpt-test");
    environment.put("OPENAI_BASE_URL", "http://127.0.0.1:" + modelPort + "/v1");
    environment.put("OPENAI_API_KEY", "sk-test");
    environment.put("ERRAND_WORKSPACE", workspace.toString());
    environment.put("ERRAND_AGENTS_DIR", agents.toString());
    environment.put("ERRAND_MCP_SERVERS_SINK_URL", "http://127.0.0.1:" + sinkPort + "/mcp");
    environment.put("ERRAND_MCP_SERVERS_SINK_TIMEOUT", "15m");
    environment.put(
        "QUARKUS_LOG_CONSOLE_FORMAT", "%d{HH:mm:ss.SSS} %-5p [%c{1.}] %X{session} %m%n");
    environment.put("ERRAND_MODEL_RETRY_FIRST_DELAY", "200ms");
    environment.put("ERRAND_TASK_RETRY_FIRST_DELAY", "200ms");
    environment.put("ERRAND_LIMITS_MAX_DELEGATIONS", "1000000");
    environment.put("ERRAND_LIMITS_MAX_BACKGROUND_TASKS", "1000000");
    environment.put("ERRAND_LIMITS_MAX_PENDING", "1000000");
    environment.put("ERRAND_WAKES_CHAIN", "1000");
    environment.put("ERRAND_RUN_MAX_MEMORY", "1M");
    return environment;
  }

  void startModel() throws IOException {
    model =
        Processes.java(
            ModelMain.class,
            home.resolve("model.log"),
            Integer.toString(modelPort),
            Long.toString(seed));
  }

  void killModel() throws InterruptedException {
    model.destroyForcibly().waitFor();
  }

  ChaosDatabase database() {
    return database;
  }

  Jdbi jdbi() {
    return database.jdbi();
  }

  /** The first column of each row. */
  List<String> texts(String sql, Object... arguments) {
    return jdbi().withHandle(handle -> handle.select(sql, arguments).mapTo(String.class).list());
  }

  /** Whether an agent has answered since the last start of the database. */
  boolean isTalkingSinceItsStart() {
    return !texts(
            """
            select 'x' from message
            where role = 'assistant' and created_at > pg_postmaster_start_time() limit 1
            """)
        .isEmpty();
  }

  List<Node> nodes() {
    return nodes;
  }

  Path home() {
    return home;
  }

  Path sinkFile() {
    return home.resolve("sink.txt");
  }

  static void awaitReady(Node node) {
    await(node.name() + " is ready")
        .atMost(START_LIMIT)
        .pollInterval(Duration.ofMillis(100))
        .failFast(node.name() + " has ended, see its log", () -> !node.isAlive())
        .until(node::isReady);
  }

  /** Restores all connections, restarts stopped nodes, and waits until all nodes are ready. */
  void heal() throws IOException, InterruptedException {
    for (var node : nodes) {
      node.proxy().restore();
      node.signal("CONT");
      if (!node.isAlive()) {
        node.startAgain();
      }
    }
    nodes.forEach(Cluster::awaitReady);
  }

  @Override
  public void close() throws IOException {
    for (var node : nodes) {
      node.close();
    }
    model.destroyForcibly();
    sink.destroyForcibly();
    database.close();
  }
}
