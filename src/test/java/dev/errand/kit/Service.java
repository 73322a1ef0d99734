package dev.errand.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** The packaged service in its own process, with its own home and port. */
public final class Service implements AutoCloseable {

  /** The role of the service in its embedded database. */
  public static final String DATABASE_USER = "errand";

  private static final Duration START_LIMIT = Duration.ofSeconds(120);
  private static final long STOP_LIMIT_SECONDS = 60;
  private static final int HEAP_MEGABYTES = 512;
  private static final int REPETITIONS = 20;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final HttpClient http = HttpClient.newHttpClient();
  private final Path home;
  private final Map<String, String> environment;
  private final int port;
  private final int managementPort;
  private Process process;

  private Service(Path home, Map<String, String> environment) throws IOException {
    this.home = home;
    this.environment = environment;
    this.port = Ports.free();
    this.managementPort =
        Integer.parseInt(
            environment.getOrDefault("ERRAND_MANAGEMENT_PORT", Integer.toString(port)));
    Files.deleteIfExists(log().toPath());
    this.process = launch();
  }

  /**
   * Starts the service and waits until it is ready. An empty home gets a copy of the database that
   * the build has prepared, which equals the one that the service itself would create.
   */
  public static Service start(Path home, Map<String, String> environment) throws IOException {
    prepare(home, environment);
    return startWithoutCopy(home, environment);
  }

  /**
   * Starts the service and waits until it is ready. In an empty home the service creates its
   * database.
   */
  public static Service startWithoutCopy(Path home, Map<String, String> environment)
      throws IOException {
    var service = new Service(home, environment);
    service.awaitReady();
    return service;
  }

  /** Starts the service on an existing database and does not wait until it is ready. */
  public static Service launch(Path home, Map<String, String> environment) throws IOException {
    return new Service(home, environment);
  }

  private static void prepare(Path home, Map<String, String> environment) throws IOException {
    var prepared = ServiceCommand.preparedHome();
    if (!Files.exists(prepared)
        || Files.exists(home.resolve("postgres"))
        || environment.containsKey("ERRAND_DB_URL")) {
      return;
    }
    try {
      Files.createDirectories(home);
      var copying =
          new ProcessBuilder("cp", "-a", prepared + "/.", home.toString()).inheritIO().start();
      assertThat(copying.waitFor()).as("exit status of cp").isZero();
    } catch (InterruptedException exception) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(exception);
    }
  }

  /**
   * Starts the service with settings that it must refuse, waits until it has ended, and returns its
   * log.
   */
  public static String refusal(Path home, Map<String, String> environment)
      throws IOException, InterruptedException {
    prepare(home, environment);
    var service = new Service(home, environment);
    var ended = service.process.waitFor(START_LIMIT.toSeconds(), TimeUnit.SECONDS);
    service.close();
    assertThat(ended).as("the service ends; see " + service.log()).isTrue();
    assertThat(service.process.exitValue()).isNotZero();
    return Files.readString(service.log().toPath());
  }

  /** Kills the process; its database process stays alive. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Waits until the process has ended without a signal from the test. */
  public void awaitDeath() throws InterruptedException {
    assertThat(process.waitFor(START_LIMIT.toSeconds(), TimeUnit.SECONDS))
        .as("the service dies")
        .isTrue();
  }

  /** Sends SIGTERM and does not wait for the end of the process. */
  public void terminate() {
    process.destroy();
  }

  /** The exit status of the process, which has ended. */
  public int exitStatus() {
    return process.exitValue();
  }

  /**
   * @return the time until the process has ended
   */
  public Duration awaitEnd() throws InterruptedException {
    var from = System.nanoTime();
    assertThat(process.waitFor(START_LIMIT.toSeconds(), TimeUnit.SECONDS))
        .as("the service ends")
        .isTrue();
    return Duration.ofNanos(System.nanoTime() - from);
  }

  /** The status of a GET request, as a probe receives it. */
  public int status(String path) {
    return send("GET", path, null).statusCode();
  }

  /** Sends a DELETE request and returns its status. */
  public int delete(String path, String... headers) {
    return sendPatiently("DELETE", path, null, headers).statusCode();
  }

  /** Sends SIGTERM and waits until the process has ended. */
  public void stop() throws InterruptedException {
    terminate();
    assertThat(process.waitFor(STOP_LIMIT_SECONDS, TimeUnit.SECONDS))
        .as("the service stops")
        .isTrue();
  }

  /** Starts the service again in the same home. */
  public void startAgain() throws IOException {
    process = launch();
    awaitReady();
  }

  private Process launch() throws IOException {
    var builder = new ProcessBuilder(ServiceCommand.of(ServiceCommand.jar(), HEAP_MEGABYTES));
    var roots = ".," + System.getProperty("java.io.tmpdir");
    builder.environment().put("ERRAND_WORKSPACES_ROOTS", roots);
    builder.environment().putAll(environment);
    builder.environment().put("ERRAND_HOME", home.toString());
    builder.environment().put("ERRAND_PORT", Integer.toString(port));
    return builder
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log()))
        .start();
  }

  /** The log file is outside the home, so that it is kept after the test. */
  private File log() {
    return Path.of("target", "service-" + port + ".log").toAbsolutePath().toFile();
  }

  /** All log lines, including those of earlier processes with this home. */
  public List<String> logged() throws IOException {
    return Files.readAllLines(log().toPath());
  }

  public void awaitReady() {
    await("service is ready; see " + log())
        .atMost(START_LIMIT)
        .pollInterval(Duration.ofMillis(100))
        .ignoreExceptions()
        .until(() -> process.isAlive() && send("GET", "/q/health/ready", null).statusCode() == 200);
  }

  /** An address of this service; health and metrics are on the management port if there is one. */
  public URI uri(String path) {
    var management = path.startsWith("/q/health") || path.equals("/q/metrics");
    return URI.create("http://127.0.0.1:" + (management ? managementPort : port) + path);
  }

  /** The id of the process. */
  public long pid() {
    return process.pid();
  }

  public int port() {
    return port;
  }

  /** The body of a GET request as text. */
  public String text(String path) {
    return sendPatiently("GET", path, null).body();
  }

  public JsonNode get(String path, String... headers) {
    return json(sendPatiently("GET", path, null, headers), 200);
  }

  /** All items of a list, read page by page. */
  public List<JsonNode> items(String path, String cursorParameter) {
    var items = new ArrayList<JsonNode>();
    var page = get(path + (path.contains("?") ? "&" : "?") + "limit=200");
    page.get("items").forEach(items::add);
    while (!page.get("next_cursor").isNull()) {
      var cursor = page.get("next_cursor").asText();
      page =
          get(
              path
                  + (path.contains("?") ? "&" : "?")
                  + "limit=200&"
                  + cursorParameter
                  + "="
                  + cursor);
      page.get("items").forEach(items::add);
    }
    return items;
  }

  public JsonNode post(String path, Object body, int expectedStatus, String... headers) {
    return json(sendPatiently("POST", path, body, headers), expectedStatus);
  }

  /** Sends requests to a process that may end before it answers one of them. */
  public static void mayEndDuring(Runnable requests) {
    try {
      requests.run();
    } catch (UncheckedIOException ended) {
      // It has ended.
    }
  }

  /**
   * Sends a request. It is repeated as clients do, while the answer is that others took too long to
   * give way; on a busy machine it may be.
   */
  private HttpResponse<String> sendPatiently(
      String method, String path, @Nullable Object body, String... headers) {
    var answer = send(method, path, body, headers);
    for (int time = 0; time < REPETITIONS && isToBeRepeated(answer); time++) {
      answer = send(method, path, body, headers);
    }
    return answer;
  }

  private static boolean isToBeRepeated(HttpResponse<String> answer) {
    return answer.statusCode() == 503 && answer.body().contains("nothing was accepted");
  }

  private static JsonNode json(HttpResponse<String> response, int expectedStatus) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(expectedStatus);
    try {
      return JSON.readTree(response.body());
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    }
  }

  private HttpResponse<String> send(
      String method, String path, @Nullable Object body, String... headers) {
    var request = HttpRequest.newBuilder(uri(path)).timeout(Duration.ofSeconds(130));
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      request.method(
          method,
          body == null
              ? HttpRequest.BodyPublishers.noBody()
              : HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body)));
      request.header("Content-Type", "application/json");
      return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    } catch (InterruptedException exception) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(exception);
    }
  }

  /** The embedded database of the service. */
  public Jdbi database() throws IOException {
    return Jdbi.create(databaseUrl(), DATABASE_USER, databasePassword());
  }

  /** The password of {@link #DATABASE_USER}, as a tool of PostgreSQL reads it. */
  public String databasePassword() throws IOException {
    var line = Files.readString(home.resolve("pgpass")).strip();
    return line.substring(line.lastIndexOf(':') + 1);
  }

  /** The JDBC URL of the embedded database, for other processes that use it. */
  public String databaseUrl() throws IOException {
    var databasePort = Files.readAllLines(home.resolve("postgres/postmaster.pid")).get(3).strip();
    return "jdbc:postgresql://127.0.0.1:" + databasePort + "/postgres";
  }

  /** Environment variables with which another process uses the embedded database, too. */
  public Map<String, String> databaseEnvironment() throws IOException {
    return Map.of(
        "ERRAND_DB_URL", databaseUrl(),
        "ERRAND_DB_USER", DATABASE_USER,
        "ERRAND_DB_PASSWORD", databasePassword());
  }

  /** Kills the service and its database, because their data are not needed any more. */
  @Override
  public void close() throws IOException, InterruptedException {
    kill();
    try {
      var pid = Files.readAllLines(home.resolve("postgres/postmaster.pid")).getFirst().strip();
      // The immediate shutdown of PostgreSQL; the server ends after its processes.
      new ProcessBuilder("kill", "-QUIT", pid).start().waitFor();
      ProcessHandle.of(Long.parseLong(pid)).ifPresent(server -> server.onExit().join());
    } catch (NoSuchFileException ended) {
      // The service did not start, and has already stopped its database.
    }
  }
}
