package dev.errand.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.kit.EventClient;
import java.io.IOException;
import java.net.http.HttpClient.Version;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Clients of the service that know one address. Every unexpected response is a failure. They repeat
 * only what {@link Caller#postKeyed} repeats, and count it. They use HTTP/1.1 and HTTP/2; some send
 * requests all the time, others reuse a connection after seconds.
 */
final class Clients implements AutoCloseable {

  private static final int COUNT = 8;

  /** The short list of scenarios has fewer requests. */
  private static final long BUSY_PAUSE_MILLIS = Long.getLong("chaos.pause", 900);

  private static final long LAZY_PAUSE_MILLIS = 3_000;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final int port;
  private final AtomicInteger numbers = new AtomicInteger();
  private final AtomicInteger answered = new AtomicInteger();
  private final AtomicInteger waits = new AtomicInteger();
  private final AtomicInteger repeated = new AtomicInteger();
  private final List<String> failures = new CopyOnWriteArrayList<>();
  private final Map<String, String> accepted = new ConcurrentHashMap<>();
  private final Map<String, EventClient> streams = new ConcurrentHashMap<>();
  private final List<Thread> threads;
  private volatile boolean stopped;

  Clients(int port, long seed) {
    this.port = port;
    this.threads =
        IntStream.range(0, COUNT)
            .mapToObj(
                number -> Thread.ofVirtual().start(() -> run(number, new Random(seed + number))))
            .toList();
  }

  /** The unexpected responses and errors. */
  List<String> failures() {
    return List.copyOf(failures);
  }

  /** The number of requests that were answered as expected. */
  int answered() {
    return answered.get();
  }

  /** The number of requests that were sent twice because a connection ended without an answer. */
  int repeated() {
    return repeated.get();
  }

  /** The accepted tasks: the key of each task by its id. */
  Map<String, String> accepted() {
    return Map.copyOf(accepted);
  }

  /** The event stream that each client follows, by session. */
  Map<String, EventClient> streams() {
    return Map.copyOf(streams);
  }

  String tally() {
    return "%d requests answered, %d of them sent twice; %d tasks accepted; %d further requests to wait for their results"
        .formatted(answered.get(), repeated.get(), accepted.size(), waits.get());
  }

  private void run(int number, Random random) {
    var caller = new Caller(port, number % 2 == 0 ? Version.HTTP_1_1 : Version.HTTP_2, LIMIT);
    var pause = number < 2 ? LAZY_PAUSE_MILLIS : BUSY_PAUSE_MILLIS;
    try {
      var session = caller.post("/v1/sessions", Map.of(), 201).get("id").asText();
      var events = "/v1/sessions/" + session + "/events?tree=true";
      streams.put(session, EventClient.follow(caller.uri(events)));
      while (!stopped) {
        try {
          act(caller, session, random);
        } catch (IOException exception) {
          failures.add("client " + number + ": " + exception);
        }
        Thread.sleep(pause);
      }
    } catch (IOException exception) {
      failures.add("client " + number + " could not start: " + exception);
    } catch (InterruptedException exception) {
      Thread.currentThread().interrupt();
    }
  }

  private void act(Caller caller, String session, Random random) throws IOException {
    switch (random.nextInt(8)) {
      case 0, 1 -> delegateInBackground(caller, random);
      case 2, 3 -> delegateAndWait(caller, random);
      case 4 -> speak(caller, session, random);
      case 5 -> caller.get("/v1/tasks?limit=20");
      case 6 -> caller.get("/v1/sessions/" + session + "/tasks?tree=true");
      default -> caller.get("/v1/sessions/" + session + "/messages?limit=50");
    }
    answered.incrementAndGet();
  }

  private void delegateInBackground(Caller caller, Random random) throws IOException {
    var errand = errand(random);
    var answer = post(caller, "/v1/tasks", errand.asTask(true));
    remember(Caller.json("/v1/tasks", answer, 202), errand);
  }

  /**
   * A node that stops answers 202 before the task has ended; another node answers the next request
   * of the client.
   */
  private void delegateAndWait(Caller caller, Random random) throws IOException {
    var errand = errand(random);
    var answer = post(caller, "/v1/tasks", errand.asTask(false), "Prefer", "wait=20");
    var task = remember(Caller.accepted("/v1/tasks", answer), errand);
    var state = answer.statusCode() == 200 ? "completed" : "running";
    while (state.equals("running") || state.equals("pending")) {
      waits.incrementAndGet();
      state = caller.get("/v1/tasks/" + task + "?wait_ms=10000").get("state").asText();
    }
  }

  /** Sends a message and waits for the reply; 202 is accepted as well. */
  private void speak(Caller caller, String session, Random random) throws IOException {
    var text = "delegate\n" + Errand.quick("said-" + random.nextInt()).prompt();
    var path = "/v1/sessions/" + session + "/messages";
    Caller.accepted(path, post(caller, path, Map.of("text", text), "Prefer", "wait=10"));
  }

  private HttpResponse<String> post(Caller caller, String path, Object body, String... headers)
      throws IOException {
    return caller.postKeyed(path, body, repeated::incrementAndGet, headers);
  }

  private Errand errand(Random random) {
    return Errand.drawn("rolling-" + numbers.incrementAndGet(), random);
  }

  private String remember(JsonNode answer, Errand errand) {
    var task = answer.at("/metadata/task_id").asText();
    accepted.put(task, errand.key());
    return task;
  }

  /** Stops the requests; the streams stay open. */
  void leave() throws InterruptedException {
    stopped = true;
    for (var thread : threads) {
      thread.join();
    }
  }

  @Override
  public void close() throws InterruptedException {
    leave();
    for (var stream : streams.values()) {
      stream.close();
    }
  }
}
