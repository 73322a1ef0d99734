package dev.errand.story;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.kit.OpenAiStub;
import dev.errand.kit.RawConnection;
import dev.errand.kit.RawConnection.Ended;
import dev.errand.kit.RawConnection.Response;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What connections of HTTP/1.1 see of a stop. Every row uses a connection of its own, which is open
 * when the service receives SIGTERM.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StoppingConnectionsIT {

  /** How long the stopping service answers requests, in milliseconds. */
  private static final int DELAY = 4_000;

  /** After {@link #DELAY}, so that the service has begun to close connections. */
  private static final int LATE = DELAY + 1_000;

  /** The delay, the limit for half a request, and some time for a busy machine. */
  private static final Duration STOP_LIMIT = Duration.ofSeconds(25);

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String GET = head("GET /v1/tasks?limit=1");
  private static final String SESSION = session("cut");

  /** Enough for what is sent before SIGTERM to be read. */
  private static final Duration BEFORE = Duration.ofSeconds(1);

  private static final int SWEEP = 100;
  private static final int SWEEP_STEP = 20;

  private final CountDownLatch open = new CountDownLatch(1);
  private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(4);
  private final Map<String, CompletableFuture<Ended>> rows = new HashMap<>();
  private final List<CompletableFuture<Ended>> sweep = new ArrayList<>();
  private final StubEndpoint endpoint;
  private final Service service;
  private final List<Duration> stops = new ArrayList<>();

  StoppingConnectionsIT(@TempDir Path home) throws IOException {
    endpoint = StubEndpoint.start(new OpenAiStub(), _ -> hang());
    var environment = new HashMap<>(endpoint.environment());
    environment.put("ERRAND_SHUTDOWN_DELAY", DELAY / 1000 + "S");
    environment.put("ERRAND_RUN_DRAIN_FOR", "1s");
    service = Service.start(home, environment);
  }

  private Answer hang() throws InterruptedException {
    open.await();
    return Answer.says("Done.");
  }

  /**
   * Bytes that a client sends.
   *
   * @param at milliseconds after SIGTERM; negative is before it
   */
  record Sent(int at, String bytes) {}

  /**
   * The life of one connection.
   *
   * @param statuses the expected responses; the last one announces the end of the connection
   */
  record Row(String name, List<Sent> sent, List<Integer> statuses) {

    @Override
    public String toString() {
      return name;
    }
  }

  private static Row row(String name, List<Integer> statuses, Sent... sent) {
    return new Row(name, List.of(sent), statuses);
  }

  private static String head(String line, String... headers) {
    return line
        + " HTTP/1.1\r\nHost: localhost\r\n"
        + String.join("", Stream.of(headers).map(header -> header + "\r\n").toList())
        + "\r\n";
  }

  private static String post(String path, String body, String... headers) {
    var all =
        Stream.concat(
            Stream.of("Content-Type: application/json", "Content-Length: " + body.length()),
            Stream.of(headers));
    return head("POST " + path, all.toArray(String[]::new)) + body;
  }

  private static String session(String title) {
    return post("/v1/sessions", "{\"title\":\"" + title + "\"}");
  }

  /** Sends a request in two parts. */
  private static Row cut(String name, int length, int from, int to) {
    return row(
        name,
        List.of(201),
        new Sent(from, SESSION.substring(0, length)),
        new Sent(to, SESSION.substring(length)));
  }

  static Stream<Row> rows() {
    return Stream.concat(heads(), bodies());
  }

  /** The service knows no unanswered request of these connections when it begins to close. */
  private static Stream<Row> heads() {
    var keepAlive = head("GET /v1/tasks", "Connection: keep-alive");
    var close = head("GET /v1/tasks", "Connection: close");
    var halfHead = GET.substring(0, 20);
    return Stream.of(
        row("nothing is sent", List.of()),
        row("a request at once", List.of(200), new Sent(100, GET)),
        row("a request during the delay", List.of(200), new Sent(1_000, GET)),
        row("a request shortly before the end of the delay", List.of(200), new Sent(3_500, GET)),
        row("a request with keep-alive", List.of(200), new Sent(1_000, keepAlive)),
        row("a request with close", List.of(200), new Sent(1_000, close)),
        row("a refused request", List.of(404), new Sent(1_000, head("GET /v1/nothing"))),
        row("a body that is not JSON", List.of(400), new Sent(1_000, post("/v1/sessions", "{"))),
        row("half a head that never goes on", List.of(), new Sent(3_000, halfHead)),
        row("three requests in a pipeline", List.of(200), new Sent(1_000, GET + GET + GET)),
        row("one and a half requests", List.of(200), new Sent(1_000, GET + halfHead)),
        cut("a head without its end before, the rest during the delay", 60, -1, 1_000),
        cut("half a head before, the rest after the delay", 60, -1, LATE),
        cut("one byte before, the rest after the delay", 1, -1, LATE),
        cut("one byte at the end of the delay, the rest after it", 1, 3_700, LATE),
        cut("a request line at the end of the delay, the rest after it", 28, 3_700, LATE));
  }

  /** Requests that the service has begun to read. */
  private static Stream<Row> bodies() {
    var chunked =
        head("POST /v1/sessions", "Content-Type: application/json", "Transfer-Encoding: chunked")
            + "2\r\n{}\r\n";
    var expecting =
        head(
            "POST /v1/sessions",
            "Content-Type: application/json",
            "Content-Length: 2",
            "Expect: 100-continue");
    var waiting =
        post(
            "/v1/tasks",
            "{\"description\":\"a\",\"prompt\":\"b\",\"background\":false}",
            "Prefer: wait=100");
    return Stream.of(
        cut("half a body before, the rest during the delay", SESSION.length() - 3, -1, 1_000),
        cut("half a body before, the rest after the delay", SESSION.length() - 3, -1, LATE),
        cut("half a body during the delay, the rest after it", SESSION.length() - 3, 3_700, LATE),
        row(
            "half a chunked body before, the rest after the delay",
            List.of(201),
            new Sent(-1, chunked),
            new Sent(LATE, "0\r\n\r\n")),
        row(
            "a body that waits for 100 Continue",
            List.of(100, 201),
            new Sent(3_700, expecting),
            new Sent(LATE, "{}")),
        row("a caller that waits for a task", List.of(202), new Sent(-1, waiting)));
  }

  @BeforeAll
  void stopTwice() throws Exception {
    var all = open(heads());
    var swept = new ArrayList<RawConnection>();
    for (int i = 0; i < SWEEP; i++) {
      swept.add(usedConnection());
    }
    var term = System.nanoTime() + BEFORE.toNanos();
    all.forEach((row, connection) -> row.sent().forEach(sent -> schedule(connection, sent, term)));
    for (int i = 0; i < SWEEP; i++) {
      var at = DELAY - 500 + i * SWEEP_STEP;
      schedule(swept.get(i), new Sent(at, session("sweep " + i)), term);
      sweep.add(read(swept.get(i)));
    }
    stops.add(terminate(term));

    service.startAgain();
    var others = open(bodies());
    var again = System.nanoTime() + BEFORE.toNanos();
    others.forEach(
        (row, connection) -> row.sent().forEach(sent -> schedule(connection, sent, again)));
    stops.add(terminate(again));
    service.startAgain();
  }

  private Map<Row, RawConnection> open(Stream<Row> all) throws IOException {
    var connections = new HashMap<Row, RawConnection>();
    for (var row : all.toList()) {
      var connection = usedConnection();
      connections.put(row, connection);
      rows.put(row.name(), read(connection));
    }
    return connections;
  }

  private Duration terminate(long at) throws Exception {
    clock.schedule(service::terminate, at - System.nanoTime(), TimeUnit.NANOSECONDS).get();
    return service.awaitEnd();
  }

  private void schedule(RawConnection connection, Sent sent, long term) {
    var at = sent.at() < 0 ? 0 : term + sent.at() * 1_000_000L - System.nanoTime();
    clock.schedule(() -> send(connection, sent), at, TimeUnit.NANOSECONDS);
  }

  private static void send(RawConnection connection, Sent sent) {
    try {
      connection.send(sent.bytes());
    } catch (IOException ended) {
      // The reader sees how it ended.
    }
  }

  private RawConnection usedConnection() throws IOException {
    var connection = new RawConnection(service.port());
    connection.send(GET);
    assertThat(connection.read().announcesClose()).isFalse();
    return connection;
  }

  private CompletableFuture<Ended> read(RawConnection connection) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (connection) {
            return connection.readToEnd();
          } catch (IOException fault) {
            throw new IllegalStateException(fault);
          }
        },
        Thread::startVirtualThread);
  }

  @AfterAll
  void close() throws Exception {
    clock.shutdownNow();
    open.countDown();
    service.close();
    endpoint.close();
  }

  @ParameterizedTest
  @MethodSource("rows")
  void everyRequestThatHasBegunIsAnsweredAndTheLastResponseAnnouncesTheEnd(Row row)
      throws Exception {
    var seen = requireNonNull(rows.get(row.name())).get(LIMIT.toSeconds(), TimeUnit.SECONDS);

    assertThat(seen.end()).isEqualTo("EOF");
    assertThat(seen.responses()).extracting(Response::status).isEqualTo(row.statuses());
    if (!row.statuses().isEmpty()) {
      assertThat(seen.responses().getLast().announcesClose()).isTrue();
    }
  }

  /** Requests around the moment at which quiet connections are closed. */
  @Test
  void requestIsEitherAnsweredOrNotAccepted() throws Exception {
    var answered = 0;
    for (var connection : sweep) {
      var seen = connection.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
      assertThat(seen.end()).isEqualTo("EOF");
      assertThat(seen.responses()).allMatch(response -> response.status() == 201);
      answered += seen.responses().size();
    }

    assertThat(answered).isBetween(1, SWEEP - 1);
    assertThat(sweptSessions()).hasSize(answered);
  }

  private Set<String> sweptSessions() {
    return service.items("/v1/sessions", "cursor").stream()
        .map(session -> session.path("title").asText())
        .filter(title -> title.startsWith("sweep"))
        .collect(toSet());
  }

  @Test
  void stopTakesNoLongerThanItsLimits() {
    assertThat(stops).allMatch(stop -> stop.compareTo(STOP_LIMIT) < 0);
  }
}
