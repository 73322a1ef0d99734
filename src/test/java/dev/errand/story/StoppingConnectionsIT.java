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
import dev.errand.story.ConnectionRows.Row;
import dev.errand.story.ConnectionRows.Sent;
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

  /** The delay, the limit for half a request, and some time for a busy machine. */
  private static final Duration STOP_LIMIT = Duration.ofSeconds(25);

  private static final Duration LIMIT = Duration.ofSeconds(60);

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
    environment.put("ERRAND_SHUTDOWN_DELAY", ConnectionRows.DELAY / 1000 + "S");
    environment.put("ERRAND_RUN_DRAIN_FOR", "1s");
    service = Service.start(home, environment);
  }

  private Answer hang() throws InterruptedException {
    open.await();
    return Answer.says("Done.");
  }

  static Stream<Row> rows() {
    return Stream.concat(ConnectionRows.heads(), ConnectionRows.bodies());
  }

  @BeforeAll
  void stopTwice() throws Exception {
    var all = open(ConnectionRows.heads());
    var swept = new ArrayList<RawConnection>();
    for (int i = 0; i < SWEEP; i++) {
      swept.add(usedConnection());
    }
    var term = System.nanoTime() + BEFORE.toNanos();
    all.forEach((row, connection) -> row.sent().forEach(sent -> schedule(connection, sent, term)));
    for (int i = 0; i < SWEEP; i++) {
      var at = ConnectionRows.DELAY - 500 + i * SWEEP_STEP;
      schedule(swept.get(i), new Sent(at, ConnectionRows.session("sweep " + i)), term);
      sweep.add(read(swept.get(i)));
    }
    stops.add(terminate(term));

    service.startAgain();
    var others = open(ConnectionRows.bodies());
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
    connection.send(ConnectionRows.GET);
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

    assertThat(answered).isPositive();
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
