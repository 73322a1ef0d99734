package dev.errand.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** The packaged service as a process of its own, with a home and a port of its own. */
public final class Service implements AutoCloseable {

  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final long STOP_LIMIT_SECONDS = 30;
  private static final int HEAP_MEGABYTES = 512;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final HttpClient http = HttpClient.newHttpClient();
  private final Path home;
  private final Map<String, String> environment;
  private final int port;
  private Process process;

  private Service(Path home, Map<String, String> environment) throws IOException {
    this.home = home;
    this.environment = environment;
    this.port = freePort();
    this.process = launch();
  }

  /**
   * Starts it and waits until it is ready. An empty home gets a copy of the database that the build
   * has prepared, which is as the service itself would create it.
   */
  public static Service start(Path home, Map<String, String> environment) throws IOException {
    var prepared = ServiceCommand.preparedHome();
    if (Files.exists(prepared) && !Files.exists(home.resolve("postgres"))) {
      copy(prepared, home);
    }
    return startAsItIs(home, environment);
  }

  /** Starts it and waits until it is ready. In an empty home it creates its database. */
  public static Service startAsItIs(Path home, Map<String, String> environment)
      throws IOException {
    var service = new Service(home, environment);
    service.awaitReady();
    return service;
  }

  private static void copy(Path from, Path to) throws IOException {
    try {
      Files.createDirectories(to);
      var copying = new ProcessBuilder("cp", "-a", from + "/.", to.toString()).inheritIO().start();
      assertThat(copying.waitFor()).as("exit status of cp").isZero();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(stopped);
    }
  }

  /** Starts it where it must not start, waits until it has ended, and gives what it said. */
  public static String refusal(Path home, Map<String, String> environment)
      throws IOException, InterruptedException {
    var service = new Service(home, environment);
    var ended = service.process.waitFor(START_LIMIT.toSeconds(), TimeUnit.SECONDS);
    if (!ended) {
      service.close();
    }
    assertThat(ended).as("it ends; see " + service.log()).isTrue();
    assertThat(service.process.exitValue()).isNotZero();
    return Files.readString(service.log().toPath());
  }

  /** Kills the process; its database lives on as an orphan. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Waits until the process has died of itself. */
  public void awaitDeath() throws InterruptedException {
    assertThat(process.waitFor(START_LIMIT.toSeconds(), TimeUnit.SECONDS)).as("it dies").isTrue();
  }

  /** Asks the process to stop, and does not wait for it. */
  public void terminate() {
    process.destroy();
  }

  /**
   * @return how long it took until the process had ended
   */
  public Duration awaitEnd() throws InterruptedException {
    var from = System.nanoTime();
    assertThat(process.waitFor(START_LIMIT.toSeconds(), TimeUnit.SECONDS)).as("it ends").isTrue();
    return Duration.ofNanos(System.nanoTime() - from);
  }

  /** What a probe gets. */
  public int status(String path) {
    return send("GET", path, null).statusCode();
  }

  /** Asks the process to stop, and waits until it has. */
  public void stop() throws InterruptedException {
    terminate();
    assertThat(process.waitFor(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)).as("it stops").isTrue();
  }

  /** Starts it once more in the same home. */
  public void startAgain() throws IOException {
    process = launch();
    awaitReady();
  }

  private Process launch() throws IOException {
    var builder = new ProcessBuilder(ServiceCommand.of(ServiceCommand.jar(), HEAP_MEGABYTES));
    builder.environment().putAll(environment);
    builder.environment().put("ERRAND_HOME", home.toString());
    builder.environment().put("ERRAND_PORT", Integer.toString(port));
    return builder
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log()))
        .start();
  }

  /** Outlives the test, whose home does not. */
  private File log() {
    return Path.of("target", "service-" + port + ".log").toAbsolutePath().toFile();
  }

  /** All that it and its earlier lives have logged. */
  public List<String> logged() throws IOException {
    return Files.readAllLines(log().toPath());
  }

  private void awaitReady() {
    await("service is ready; see " + log())
        .atMost(START_LIMIT)
        .pollInterval(Duration.ofMillis(100))
        .ignoreExceptions()
        .until(() -> process.isAlive() && send("GET", "/q/health/ready", null).statusCode() == 200);
  }

  public URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }

  public int port() {
    return port;
  }

  /** An answer that is no JSON. */
  public String text(String path) {
    return send("GET", path, null).body();
  }

  public JsonNode get(String path) {
    return json(send("GET", path, null), 200);
  }

  /** All items of a list that is read page by page. */
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
    return json(send("POST", path, body, headers), expectedStatus);
  }

  private static JsonNode json(HttpResponse<String> response, int expectedStatus) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(expectedStatus);
    try {
      return JSON.readTree(response.body());
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
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
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(stopped);
    }
  }

  /** The service's embedded database. */
  public Jdbi database() throws IOException {
    return Jdbi.create(databaseUrl(), "postgres", "");
  }

  /** Where it is, for others who work on it too. */
  public String databaseUrl() throws IOException {
    var databasePort = Files.readAllLines(home.resolve("postgres/postmaster.pid")).get(3).strip();
    return "jdbc:postgresql://127.0.0.1:" + databasePort + "/postgres";
  }

  /** Stops it, and its database should that have been left behind. */
  @Override
  public void close() throws IOException, InterruptedException {
    process.destroy();
    if (!process.waitFor(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
      kill();
    }
    var pidFile = home.resolve("postgres/postmaster.pid");
    if (Files.exists(pidFile)) {
      var pid = Files.readAllLines(pidFile).getFirst().strip();
      new ProcessBuilder("kill", "-INT", pid).start().waitFor();
      ProcessHandle.of(Long.parseLong(pid)).ifPresent(orphan -> orphan.onExit().join());
    }
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
