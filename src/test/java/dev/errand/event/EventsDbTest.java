package dev.errand.event;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.hamcrest.Matchers.nullValue;

import dev.errand.conversation.SessionId;
import dev.errand.event.CloudEvent.StoredEvent;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.postgres.SqlErrors;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import jakarta.transaction.TransactionalException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;

/** Events belong to the transaction that records them. */
@QuarkusTest
class EventsDbTest implements Story {

  @Inject TaskKit kit;
  @Inject Events events;
  @Inject EventStore store;
  @Inject Jdbi jdbi;

  @Test
  void eventsAreNumberedInTheOrderInWhichTheyAreRecorded() {
    var session = kit.externalSession();

    QuarkusTransaction.requiringNew()
        .run(() -> {
          record(session, "one");
          record(session, "two");
        });
    QuarkusTransaction.requiringNew().run(() -> record(session, "three"));

    assertThat(read(session)).extracting(StoredEvent::number).containsExactly(1L, 2L, 3L);
    assertThat(read(session))
        .extracting(stored -> stored.event().data().get("text").asText())
        .containsExactly("one", "two", "three");
  }

  @Test
  void rolledBackTransactionLeavesNoEventAndNoGap() {
    var session = kit.externalSession();

    QuarkusTransaction.begin();
    record(session, "never");
    QuarkusTransaction.rollback();
    QuarkusTransaction.requiringNew().run(() -> record(session, "first"));

    assertThat(read(session)).extracting(StoredEvent::number).containsExactly(1L);
  }

  @Test
  void eventThatCannotBeWrittenRollsBackItsTransaction() {
    var session = kit.externalSession();
    QuarkusTransaction.requiringNew().run(() -> record(session, "first"));

    QuarkusTransaction.requiringNew()
        .run(() -> {
          kit.tamper("set local idle_in_transaction_session_timeout = 0");
          execute("select 1 from event_log where root_id = ? for update", session);
          assertThatThrownBy(() -> rename(session))
              .satisfies(fault ->
                  assertThat(SqlErrors.in(fault).orElseThrow().getSQLState()).isEqualTo("55P03"));
        });

    given().get("/v1/sessions/{id}", session.toString()).then().body("title", nullValue());
    assertThat(read(session)).hasSize(1);
  }

  private void rename(SessionId session) {
    QuarkusTransaction.requiringNew()
        .run(() -> {
          execute("update session set title = 'x' where id = ?", session);
          record(session, "too late");
        });
  }

  private void execute(String sql, SessionId session) {
    jdbi.useHandle(handle -> handle.execute(sql, session.value()));
  }

  @Test
  void eventOutsideATransactionIsRefused() {
    var session = kit.externalSession();

    assertThatThrownBy(() -> record(session, "lost")).isInstanceOf(TransactionalException.class);
  }

  /** A deadlock is found after a second; on a busy machine a queue for a tree may take longer. */
  @Test
  void transactionsThatRecordInTheSameTreesInAnyOrderDoNotDeadlock() throws Exception {
    var trees = List.of(kit.externalSession(), kit.externalSession());

    try (var threads = Executors.newFixedThreadPool(8)) {
      threads
          .invokeAll(
              IntStream.range(0, 100)
                  .mapToObj(number ->
                      Executors.callable(() ->
                          QuarkusTransaction.requiringNew()
                              .run(() -> {
                                kit.tamper("set local lock_timeout = 0");
                                kit.tamper("set local statement_timeout = '60s'");
                                record(trees.get(number % 2), "there");
                                record(trees.get(1 - number % 2), "and back");
                              })))
                  .toList())
          .forEach(done -> assertThat(done.state().name()).isEqualTo("SUCCESS"));
    }

    for (var tree : trees) {
      assertThat(read(tree))
          .extracting(StoredEvent::number)
          .containsExactlyElementsOf(
              IntStream.rangeClosed(1, 100).mapToObj(Long::valueOf).toList());
    }
  }

  @Test
  void treeOfASessionFromAnotherNodeIsLookedUp() {
    var parent = kit.externalSession();
    kit.child("p", model -> model.says("done"));
    var child = kit.awaitEnd(kit.submit(parent, "p")).child();

    assertThat(new Trees(jdbi).rootOf(child)).contains(parent);
    assertThat(new Trees(jdbi).rootOf(SessionId.next())).isEmpty();
  }

  @Test
  void deletedSessionHasNoEvents() {
    var session = kit.externalSession();
    QuarkusTransaction.requiringNew().run(() -> record(session, "one"));

    execute("delete from session where id = ?", session);

    assertThat(events(session)).isZero();
  }

  private int events(SessionId session) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select count(*) from event where root_id = ?")
            .bind(0, session.value())
            .mapTo(int.class)
            .one());
  }

  private void record(SessionId session, String text) {
    events.record(NewEvent.of(session, EventType.TOOL_STARTED, Map.of("text", text)));
  }

  private List<StoredEvent> read(SessionId session) {
    return store.page(new EventStore.EventScope(session, true), 0, 1_000).orElseThrow().events();
  }
}
