package dev.errand.bench;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.kit.Ports;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The program in {@code src/test/dbos}, in a process of its own. */
final class DbosProgram implements AutoCloseable {

  /** The directory of its libraries. */
  static final Path LIBRARIES = Path.of(System.getProperty("bench.dbos", "target/dbos"));

  private static final Path SOURCES =
      Path.of(System.getProperty("bench.sources", "."), "src/test/dbos");
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String url;
  private final Process process;

  private DbosProgram(String url, Process process) {
    this.url = url;
    this.process = process;
  }

  static DbosProgram start(DbosLevel level, Model model, BenchDatabase database)
      throws IOException, InterruptedException {
    var classes = compile();
    var port = Integer.toString(Ports.free());
    var access = database.environment();
    var process =
        new ProcessBuilder(
                tool("java"),
                "-Xmx614m",
                "-cp",
                classes + File.pathSeparator + LIBRARIES + "/*",
                "DbosMain",
                level.name(),
                Integer.toString(Throughput.PARENTS),
                port,
                "http://127.0.0.1:" + model.port(),
                access.get("ERRAND_DB_URL"),
                access.get("ERRAND_DB_USER"),
                access.get("ERRAND_DB_PASSWORD"))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    if (!"ready".equals(process.inputReader().readLine())) {
      throw new IllegalStateException("the program with DBOS did not start");
    }
    return new DbosProgram("http://127.0.0.1:" + port, process);
  }

  /** DBOS does not find the classes of values when {@code java} runs a program from its sources. */
  private static Path compile() throws IOException, InterruptedException {
    var classes = Files.createTempDirectory("errand-bench-dbos");
    var compiler =
        new ProcessBuilder(
            tool("javac"),
            "-cp",
            LIBRARIES + "/*",
            "-sourcepath",
            SOURCES.toString(),
            "-d",
            classes.toString(),
            SOURCES.resolve("DbosMain.java").toString());
    if (compiler.inheritIO().start().waitFor() != 0) {
      throw new IllegalStateException("the program with DBOS was not compiled");
    }
    return classes;
  }

  private static String tool(String name) {
    return Path.of(System.getProperty("java.home"), "bin", name).toString();
  }

  String url() {
    return url;
  }

  /**
   * The workflows of a task.
   *
   * @param id of the child
   * @param parent the workflow that receives the result
   */
  record Accepted(String id, String parent) {}

  Accepted submit(int parent, String prompt) throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(URI.create(url + "/tasks"))
            .POST(BodyPublishers.ofString(body(parent, prompt)))
            .build();
    var answer = http.send(request, BodyHandlers.ofString());
    if (answer.statusCode() != 202) {
      throw new IllegalStateException("DBOS answered " + answer.statusCode());
    }
    return JSON.readValue(answer.body(), Accepted.class);
  }

  static String body(int parent, String prompt) throws IOException {
    return JSON.writeValueAsString(Map.of("parent", parent, "prompt", prompt));
  }

  /** Returns how many tasks have ended; with a receiver, how many results it has received. */
  long done() throws IOException, InterruptedException {
    return Long.parseLong(get("/done"));
  }

  DbosLevel.Rows rows() throws IOException, InterruptedException {
    return JSON.readValue(get("/counts"), DbosLevel.Rows.class);
  }

  private String get(String path) throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(URI.create(url + path)).build();
    return http.send(request, BodyHandlers.ofString()).body();
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    process.waitFor();
  }
}
