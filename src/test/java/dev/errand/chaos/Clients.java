package dev.errand.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.kit.EventClient;
import java.io.IOException;
import java.net.http.HttpClient.Version;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Users of the service who know one address of it and repeat nothing: whatever is not answered as
 * it should be is a failure. Over HTTP/1.1 and HTTP/2, busy ones and ones that come back to a
 * connection after seconds.
 */
final class Clients implements AutoCloseable {

  private static final int COUNT = 8;
  private static final long BUSY_PAUSE_MILLIS = 250;
  private static final long LAZY_PAUSE_MILLIS = 3_000;
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final int port;
  private final AtomicInteger numbers = new AtomicInteger();
  private final AtomicInteger answered = new AtomicInteger();
  private final AtomicInteger askedOn = new AtomicInteger();
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

  /** What was not answered as it should be. */
  List<String> failures() {
    return List.copyOf(failures);
  }

  /** How many requests were. */
  int answered() {
    return answered.get();
  }

  /** The tasks that were accepted: each one's id and the key of its errand. */
  Map<String, String> accepted() {
    return Map.copyOf(accepted);
  }

  /** What each one follows, by session. */
  Map<String, EventClient> streams() {
    return Map.copyOf(streams);
  }

  String tally() {
    return "%d requests answered; %d tasks accepted, of whose callers %d had to ask on"
        .formatted(answered.get(), accepted.size(), askedOn.get());
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
        } catch (IOException unanswered) {
          failures.add("client " + number + ": " + unanswered);
        }
        Thread.sleep(pause);
      }
    } catch (IOException unanswered) {
      failures.add("client " + number + " could not begin: " + unanswered);
    } catch (InterruptedException broken) {
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
    note(caller.post("/v1/tasks", errand.asTask(true), 202), errand);
  }

  /**
   * A node that stops says 202 before the task has ended; whoever asks on is answered elsewhere.
   */
  private void delegateAndWait(Caller caller, Random random) throws IOException {
    var errand = errand(random);
    var answer = caller.postAny("/v1/tasks", errand.asTask(false), "Prefer", "wait=20");
    var task = note(Caller.accepted("/v1/tasks", answer), errand);
    var state = answer.statusCode() == 200 ? "completed" : "running";
    while (state.equals("running") || state.equals("pending")) {
      askedOn.incrementAndGet();
      state = caller.get("/v1/tasks/" + task + "?wait_ms=10000").get("state").asText();
    }
  }

  /** Waits for the reply, or is told to look for it later. */
  private static void speak(Caller caller, String session, Random random) throws IOException {
    var text = "delegate\n" + Errands.quick("said-" + random.nextInt()).prompt();
    var path = "/v1/sessions/" + session + "/messages";
    Caller.accepted(path, caller.postAny(path, Map.of("text", text), "Prefer", "wait=10"));
  }

  private Errands errand(Random random) {
    return Errands.drawn("rolling-" + numbers.incrementAndGet(), random);
  }

  private String note(JsonNode answer, Errands errand) {
    var task = answer.at("/metadata/task_id").asText();
    accepted.put(task, errand.key());
    return task;
  }

  /** They stop asking; their streams stay. */
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
