package dev.errand.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.kit.Ports;
import dev.errand.kit.Service;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** The packaged service with the options of the image, in its own home. */
final class BenchService implements AutoCloseable {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /**
   * 60 % of the memory that the manifests give to a node, unless {@code bench.heap} is set, or a
   * part has options of its own.
   */
  private static final String HEAP = "-Xmx" + System.getProperty("bench.heap", "614m");

  /** Of the connections of the load generator. */
  static final String NAME = "bench";

  private static final long STEP_MS = 20;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Path home;
  private final String url;
  private final Process process;
  private final long startedAt = System.nanoTime();
  private volatile @Nullable String key;

  private BenchService(Path jar, List<String> options, Path home, Map<String, String> environment)
      throws IOException {
    this.home = home;
    var port = Ports.free();
    this.url = "http://127.0.0.1:" + port;
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add(HEAP);
    command.addAll(options);
    command.addAll(List.of("-XX:+ExitOnOutOfMemoryError", "-jar", jar.toString()));
    var builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    builder.environment().put("ERRAND_HOME", home.toString());
    builder.environment().put("ERRAND_PORT", Integer.toString(port));
    this.process =
        builder
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(home.resolve("service.log").toFile()))
            .start();
  }

  /** As shipped: with the AOT cache. */
  static BenchService start(Path home, Map<String, String> environment)
      throws IOException, InterruptedException {
    return start(home, List.of(), environment);
  }

  /** As shipped, with further options of Java. */
  static BenchService start(Path home, List<String> more, Map<String, String> environment)
      throws IOException, InterruptedException {
    var jar = jar();
    var cache = jar.resolveSibling("errand.aot");
    var options =
        new ArrayList<>(
            List.of(
                "@" + Path.of("deploy/java.options").toAbsolutePath(), "-XX:AOTCache=" + cache));
    options.addAll(more);
    return start(jar, options, home, environment);
  }

  private static Path jar() {
    return Path.of(System.getProperty("errand.jar", "target/quarkus-app/quarkus-run.jar"));
  }

  /** Makes the AOT cache, unless there is one that fits. */
  static void prepare() throws IOException, InterruptedException {
    var directory = Objects.requireNonNull(jar().toAbsolutePath().getParent()).toString();
    var training = new ProcessBuilder("sh", "deploy/cache.sh", directory, "now").inheritIO();
    training.environment().put("JAVA_HOME", System.getProperty("java.home"));
    if (training.start().waitFor() != 0) {
      throw new IllegalStateException("the cache could not be trained");
    }
  }

  static BenchService start(
      Path jar, List<String> options, Path home, Map<String, String> environment)
      throws IOException, InterruptedException {
    var service = new BenchService(jar, options, home, environment);
    service.awaitReady();
    return service;
  }

  /** Settings that let a load of any size in. */
  static Map<String, String> settings(int modelPort, Path workspace) {
    var settings = new HashMap<String, String>();
    settings.put("ERRAND_MODEL", "openai:bench");
    settings.put("OPENAI_BASE_URL", "http://127.0.0.1:" + modelPort + "/v1");
    settings.put("OPENAI_API_KEY", "sk-bench");
    settings.put("ERRAND_WORKSPACE", workspace.toString());
    settings.put("ERRAND_MAX_CONCURRENT_RUNS", "20000");
    settings.put("ERRAND_LIMITS_MAX_PENDING", "20000");
    settings.put("ERRAND_LIMITS_MAX_DELEGATIONS", "100000");
    settings.put("ERRAND_LIMITS_MAX_BACKGROUND_TASKS", "20000");
    return settings;
  }

  private void awaitReady() throws InterruptedException {
    while (!ready()) {
      if (!process.isAlive()) {
        throw new IllegalStateException("the service did not start; see " + home);
      }
      Thread.sleep(STEP_MS);
    }
  }

  private boolean ready() throws InterruptedException {
    try {
      var probe = HttpRequest.newBuilder(URI.create(url + "/q/health/ready")).build();
      return http.send(probe, BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException notYet) {
      return false;
    }
  }

  /** Milliseconds since the process was started. */
  double ageMillis() {
    return (System.nanoTime() - startedAt) / 1e6;
  }

  long pid() {
    return process.pid();
  }

  private String databaseUrl() throws IOException {
    return "jdbc:postgresql://127.0.0.1:" + postmaster().get(3).strip() + "/postgres";
  }

  private String databasePassword() throws IOException {
    var line = Files.readString(home.resolve("pgpass")).strip();
    return line.substring(line.lastIndexOf(':') + 1);
  }

  Jdbi database() throws IOException {
    return Jdbi.create(
        databaseUrl() + "?ApplicationName=" + NAME, Service.DATABASE_USER, databasePassword());
  }

  private List<String> postmaster() throws IOException {
    return Files.readAllLines(home.resolve("postgres/postmaster.pid"));
  }

  /** All later requests have this key. */
  void actAs(String client) {
    key = client;
  }

  JsonNode put(String path, Map<String, ?> body) throws IOException, InterruptedException {
    return send(
        HttpRequest.newBuilder(URI.create(url + path))
            .header("Content-Type", "application/json")
            .PUT(BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body))));
  }

  JsonNode post(String path, Map<String, ?> body) throws IOException, InterruptedException {
    return send(
        HttpRequest.newBuilder(URI.create(url + path))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body))));
  }

  JsonNode get(String path) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(URI.create(url + path)));
  }

  void delete(String path) throws IOException, InterruptedException {
    send(HttpRequest.newBuilder(URI.create(url + path)).DELETE());
  }

  private JsonNode send(HttpRequest.Builder builder) throws IOException, InterruptedException {
    if (key != null) {
      builder.header("Authorization", "Bearer " + key);
    }
    var request = builder.build();
    var response = http.send(request, BodyHandlers.ofString());
    if (response.statusCode() >= 300) {
      throw new IllegalStateException(
          request.uri().getPath() + ": " + response.statusCode() + " " + response.body());
    }
    return JSON.readTree(response.body());
  }

  /** Makes a session that owns tasks and whose loop runs elsewhere. */
  String externalParent() throws IOException, InterruptedException {
    return post("/v1/sessions", Map.of("kind", "external")).get("id").asText();
  }

  /**
   * Submits a background task.
   *
   * @return its id
   */
  String submit(String parent, String prompt) throws IOException, InterruptedException {
    return post("/v1/tasks", task(parent, prompt)).at("/metadata/task_id").asText();
  }

  /** The body that submits a background task. */
  static Map<String, ?> task(String parent, String prompt) {
    return Map.of(
        "parent_session_id", parent, "description", "a task", "prompt", prompt, "background", true);
  }

  String url() {
    return url;
  }

  int port() {
    return URI.create(url).getPort();
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    process.waitFor();
  }
}
