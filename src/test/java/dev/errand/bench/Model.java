package dev.errand.bench;

import dev.errand.kit.Ports;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The models' endpoint, seen from the load generator. */
final class Model implements AutoCloseable {

  private static final Mark NONE = new Mark(0, 0, 0);

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final int port;
  private final Process process;

  private Model(int port, Process process) {
    this.port = port;
    this.process = process;
  }

  static Model start() throws IOException {
    var port = Ports.free();
    var process = BenchProcess.java(ModelMain.class, Map.of(), Integer.toString(port));
    process.inputReader().readLine();
    return new Model(port, process);
  }

  int port() {
    return port;
  }

  /**
   * When the model was called for each id, in nanoseconds of {@link System#nanoTime}; 0 for what
   * has not happened.
   *
   * @param asked the child's first request
   * @param answered the child's last answer
   * @param resumed the parent's request that contains the result
   */
  record Mark(long asked, long answered, long resumed) {

    private static Mark of(String[] words) {
      return new Mark(Long.parseLong(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]));
    }
  }

  Map<String, Mark> marks() throws IOException, InterruptedException {
    var marks = new HashMap<String, Mark>();
    lines("/marks")
        .map(line -> line.split(" "))
        .forEach(words -> marks.put(words[0], Mark.of(words)));
    return marks;
  }

  /** Like {@link #marks()}, for one id. All marks are too many to ask for them while it matters. */
  Mark mark(String id) throws IOException, InterruptedException {
    return lines("/marks/" + id).map(line -> Mark.of(line.split(" "))).findFirst().orElse(NONE);
  }

  /** The calls of {@code work} that wait for their answer. */
  long open() throws IOException, InterruptedException {
    return lines("/open").mapToLong(Long::parseLong).findFirst().orElseThrow();
  }

  /** Nanoseconds from each answer that called {@code read} to the next request. */
  List<Long> turns(String id) throws IOException, InterruptedException {
    return lines("/turns/" + id).map(Long::valueOf).toList();
  }

  private Stream<String> lines(String path) throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build();
    return http.send(request, BodyHandlers.ofLines()).body();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
