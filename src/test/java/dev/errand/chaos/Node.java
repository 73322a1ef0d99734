package dev.errand.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.kit.Ports;
import dev.errand.kit.ServiceCommand;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** One process of the service, with its own proxy to the database. */
final class Node implements AutoCloseable {

  private static final int HEAP_MEGABYTES = 384;

  /** The time-out of the readiness probe in the manifest. */
  private static final Duration PROBE_LIMIT = Duration.ofSeconds(6);

  private final String name;
  private final int port;
  private final Path jar;
  private final Path home;
  private final DatabaseProxy proxy;
  private final Map<String, String> environment;
  private final Caller caller;
  private final Caller patient;
  private final Caller prober;
  private Process process;

  /** The settings that all nodes share. */
  record Site(Path jar, Path home, int databasePort, Map<String, String> environment) {}

  Node(String name, Site site) throws IOException {
    this.name = name;
    this.jar = site.jar();
    this.home = site.home();
    this.proxy = new DatabaseProxy(site.databasePort());
    this.port = Ports.free();
    this.environment = environment(site);
    this.caller = new Caller(port, HttpClient.Version.HTTP_2, Duration.ofSeconds(20));
    this.patient = new Caller(port, HttpClient.Version.HTTP_2, Duration.ofSeconds(120));
    this.prober = new Caller(port, HttpClient.Version.HTTP_2, PROBE_LIMIT);
    this.process = launch(Map.of());
  }

  private Map<String, String> environment(Site site) {
    var all = new HashMap<>(site.environment());
    all.put("ERRAND_HOME", home.resolve(name).toString());
    all.put("ERRAND_PORT", Integer.toString(port));
    all.put(
        "ERRAND_DB_URL",
        "jdbc:postgresql://127.0.0.1:" + proxy.port() + "/postgres?prepareThreshold=0");
    all.put("ERRAND_DB_USER", "postgres");
    return all;
  }

  private Process launch(Map<String, String> more) throws IOException {
    var all = new HashMap<>(environment);
    all.putAll(more);
    return Processes.start(
        ServiceCommand.of(jar, HEAP_MEGABYTES), all, home.resolve(name + ".log"));
  }

  String name() {
    return name;
  }

  int port() {
    return port;
  }

  DatabaseProxy proxy() {
    return proxy;
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  void signal(String signal) throws IOException, InterruptedException {
    Processes.signal(signal, process.pid());
  }

  /**
   * @return whether it stopped within the limit
   */
  boolean terminate(Duration limit) throws InterruptedException {
    process.destroy();
    return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** The exit code of the ended process. */
  int exitCode() {
    return process.exitValue();
  }

  void startAgain() throws IOException {
    startAgain(Map.of());
  }

  /**
   * @param more additional environment variables for this start
   */
  void startAgain(Map<String, String> more) throws IOException {
    process = launch(more);
  }

  boolean isReady() {
    try {
      return prober.status("/q/health/ready") == 200;
    } catch (IOException unavailable) {
      return false;
    }
  }

  JsonNode post(String path, Object body, int expected, String... headers) throws IOException {
    return caller.post(path, body, expected, headers);
  }

  /** A request of a scenario, which would end with its failure. */
  JsonNode postPatiently(String path, Object body, int expected) throws IOException {
    return patient.postPatiently(path, body, expected);
  }

  void delete(String path) throws IOException {
    caller.delete(path);
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    proxy.close();
  }
}
