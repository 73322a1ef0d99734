package dev.errand.api;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.SessionId;
import dev.errand.event.EventType;
import dev.errand.event.Events;
import dev.errand.event.NewEvent;
import dev.errand.http.OpenStreams;
import dev.errand.kit.EventClient;
import dev.errand.kit.EventClient.Received;
import dev.errand.kit.Http;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.postgres.SqlErrors;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;

/** Streams of events, as clients read them. */
@QuarkusTest
class EventStreamDbTest implements Story {

  private static final int WRITERS = 50;
  private static final int EVENTS = 1_000;

  /** Events of 60 kB that fit into no buffer of a connection. */
  private static final int MANY = 200;

  private static final Duration PATIENCE = Duration.ofMinutes(3);

  @Inject TaskKit kit;
  @Inject Events events;
  @Inject OpenStreams streams;
  @Inject Jdbi jdbi;

  @Test
  void clientThatReconnectsEvery100MsGetsEachEventOnceAndInOrder() throws Exception {
    var root = kit.externalSession();
    var sessions = List.of(root, childOf(root), childOf(root), childOf(root));
    try (var tree = EventClient.follow(stream(root, "?tree=true"));
        var child = EventClient.follow(stream(sessions.get(1), ""));
        var cuts = Executors.newSingleThreadScheduledExecutor();
        var writers = Executors.newFixedThreadPool(WRITERS)) {
      cuts.scheduleAtFixedRate(tree::cut, 100, 100, TimeUnit.MILLISECONDS);
      cuts.scheduleAtFixedRate(child::cut, 150, 100, TimeUnit.MILLISECONDS);
      for (int writer = 0; writer < WRITERS; writer++) {
        var mine = writer;
        writers.execute(() -> write(mine, sessions.get(mine % sessions.size())));
      }

      await().atMost(PATIENCE).until(() -> tree.received().size() >= EVENTS);
      await().atMost(PATIENCE).until(() -> child.received().size() >= ofWriters(1, 4));

      assertThat(tree.received())
          .extracting(Received::id)
          .containsExactlyElementsOf(LongStream.rangeClosed(1, EVENTS).boxed().toList());
      assertThat(tree.connections()).isGreaterThan(3);
      assertEachWriterIsCompleteAndInOrder(tree.received(), WRITERS);
      assertThat(child.received()).hasSize(ofWriters(1, 4));
      assertThat(child.received()).extracting(Received::id).isSorted().doesNotHaveDuplicates();
      assertEachWriterIsCompleteAndInOrder(child.received(), ofWriters(1, 4) * WRITERS / EVENTS);
      cuts.shutdownNow();
    }
  }

  /** The number of events of the writers whose number has this remainder. */
  private static int ofWriters(int rest, int divisor) {
    var writers = IntStream.range(0, WRITERS).filter(writer -> writer % divisor == rest).count();
    return (int) writers * EVENTS / WRITERS;
  }

  private static void assertEachWriterIsCompleteAndInOrder(List<Received> received, int writers) {
    var numbers = new HashMap<Integer, List<Integer>>();
    for (var event : received) {
      numbers
          .computeIfAbsent(event.data().get("writer").asInt(), _ -> new ArrayList<>())
          .add(event.data().get("number").asInt());
    }
    assertThat(numbers).hasSize(writers);
    assertThat(numbers.values())
        .allSatisfy(found ->
            assertThat(found)
                .containsExactlyElementsOf(IntStream.range(0, EVENTS / WRITERS).boxed().toList()));
  }

  /** Transactions of different lengths, which end in another order than they begin. */
  private void write(int writer, SessionId session) {
    for (int number = 0; number < EVENTS / WRITERS; ) {
      if (isWritten(session, Map.of("writer", writer, "number", number))) {
        number++;
      }
    }
  }

  /**
   * @return false when the writer waited too long for the lock of the tree
   */
  private boolean isWritten(SessionId session, Map<String, Integer> data) {
    try {
      QuarkusTransaction.requiringNew()
          .run(() -> {
            events.record(NewEvent.of(session, EventType.TOOL_STARTED, data));
            jdbi.useHandle(handle -> handle.execute("select pg_sleep(random() * 0.01)"));
          });
      return true;
    } catch (RuntimeException fault) {
      if (SqlErrors.isTransient(fault)) {
        return false;
      }
      throw fault;
    }
  }

  @Test
  void clientThatReadsNothingIsDisconnectedAndDelaysNoOtherClient() throws Exception {
    var session = kit.externalSession();
    try (var slow = new Socket();
        var other = EventClient.follow(stream(session, ""))) {
      var answer = openWithoutReading(slow, session, Http.uri("/"));
      for (int number = 0; number < MANY; number++) {
        recordLong(session, number);
      }
      await().atMost(PATIENCE).until(() -> other.received().size() == MANY);

      await().atMost(PATIENCE).until(() -> streams.open() == 1);

      assertThat(readToTheEnd(answer)).contains("id: 1\n").doesNotContain("id: " + MANY + "\n");
    }
  }

  private static String readToTheEnd(InputStream answer) throws IOException {
    var taken = new ByteArrayOutputStream();
    try {
      answer.transferTo(taken);
    } catch (SocketException reset) {
      assertThat(reset).hasMessageContaining("reset");
    }
    return taken.toString(StandardCharsets.UTF_8);
  }

  private static InputStream openWithoutReading(Socket socket, SessionId session, URI service)
      throws IOException {
    socket.setReceiveBufferSize(4096);
    socket.connect(new InetSocketAddress(service.getHost(), service.getPort()));
    var request =
        "GET /v1/sessions/%s/events HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(session);
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    return socket.getInputStream();
  }

  @Test
  void silentStreamIsKeptOpenByComments() throws Exception {
    var session = kit.externalSession();
    try (var client = EventClient.follow(stream(session, ""))) {
      await().atMost(PATIENCE).until(() -> client.comments() > 3);

      assertThat(client.connections()).isEqualTo(1);
      assertThat(client.received()).isEmpty();
    }
  }

  @Test
  void streamBeginsAfterTheGivenPosition() throws Exception {
    var session = kit.externalSession();
    for (int number = 0; number < 120; number++) {
      recordShort(session, number);
    }
    try (var client = EventClient.follow(stream(session, "?after=60"))) {
      await().atMost(PATIENCE).until(() -> client.received().size() >= 60);

      assertThat(client.received())
          .extracting(Received::id)
          .containsExactlyElementsOf(LongStream.rangeClosed(61, 120).boxed().toList());
    }
  }

  @Test
  void streamEndsWithItsSession() throws Exception {
    var session = kit.externalSession();
    recordShort(session, 1);
    try (var client = EventClient.follow(stream(session, ""))) {
      await().atMost(PATIENCE).until(() -> client.received().size() == 1);

      given().delete("/v1/sessions/{id}", session.toString()).then().statusCode(204);

      await().atMost(PATIENCE).until(() -> client.cleanEnds() == 1);
    }
    assertThat(
            kit.row(
                "select count(*) from event_log where root_id = '" + session.value() + "'",
                Long.class))
        .isZero();
  }

  private void recordShort(SessionId session, int number) {
    record(session, Map.of("number", number));
  }

  private void recordLong(SessionId session, int number) {
    record(session, Map.of("number", number, "text", "x".repeat(60_000)));
  }

  private void record(SessionId session, Map<String, ?> data) {
    QuarkusTransaction.requiringNew()
        .run(() -> events.record(NewEvent.of(session, EventType.TOOL_STARTED, data)));
  }

  private URI stream(SessionId session, String query) {
    return Http.uri("/v1/sessions/" + session + "/events" + query);
  }

  private SessionId childOf(SessionId root) {
    var child = SessionId.next();
    kit.tamper(
        """
        insert into session (id, tenant, parent_id, root_id, depth, kind, agent, model, workspace, max_turns, grants)
        select ?, tenant, id, root_id, 1, kind, agent, model, workspace, max_turns, grants from session where id = ?
        """,
        child.value(),
        root.value());
    return child;
  }
}
