package dev.errand.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.SessionId;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.outbox.Delivery;
import dev.errand.session.SessionState;
import dev.errand.task.OwedResults.OwedQuery;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

@QuarkusTest
class ReplayDbTest implements Story {

  @Inject TaskKit kit;
  private static final int BYTES = 1 << 20;

  @Inject ParentInbox parents;

  @Test
  void secondReplayOfARowDeliversNothing() {
    var parent = kit.externalSession();
    var row = undelivered(parent);

    assertThat(deliver(parent, row)).isTrue();
    assertThat(deliver(parent, row)).isFalse();

    assertThat(kit.outline(parent)).containsExactly("notice");
  }

  @Test
  void deliveredRowThatIsNotMarkedIsMarkedAndNotDeliveredAgain() {
    var parent = kit.externalSession();
    var row = undelivered(parent);
    deliver(parent, row);
    markPending(row);

    assertThat(deliver(parent, row)).isTrue();

    assertThat(kit.outline(parent)).containsExactly("notice");
  }

  @Test
  void exactlyOneOfSeveralConcurrentRelaysDelivers() throws Exception {
    var parent = kit.externalSession();
    var row = undelivered(parent);

    try (var threads = Executors.newFixedThreadPool(4)) {
      var delivered =
          threads.invokeAll(
              IntStream.range(0, 4)
                  .<Callable<Boolean>>mapToObj(_ -> () -> deliver(parent, row))
                  .toList());
      assertThat(delivered.stream().filter(one -> one.resultNow())).hasSize(1);
    }

    assertThat(kit.outline(parent)).containsExactly("notice");
  }

  @Test
  void rowsOfOneParentThatAreDueTogetherAreDeliveredInOneTransaction() {
    var parent = kit.externalSession();
    undelivered(parent);
    undelivered(parent);

    makeDue(parent);
    kit.awaitRest(parent);

    assertThat(kit.outline(parent)).containsExactly("notice", "notice");
    assertThat(
            kit.row(
                "select count(distinct xmin::text) from message where session_id = '%s'"
                    .formatted(parent.value()),
                Integer.class))
        .isEqualTo(1);
  }

  @Test
  void resultsOfSeveralParentsAreDeliveredInOneTransactionWithoutTheLockedOnes() {
    var one = kit.externalSession();
    var other = kit.externalSession();
    var locked = kit.externalSession();
    var all = List.of(one, other, locked);
    all.forEach(this::undelivered);

    var outcome =
        whileLocked(
            locked,
            () ->
                QuarkusTransaction.requiringNew()
                    .call(() -> {
                      all.forEach(this::makeDue);
                      return parents.deliver(new OwedQuery(all, null, BYTES), false);
                    }));

    assertThat(outcome.locked()).containsExactly(locked);
    assertThat(outcome.delivered()).extracting(Delivery::to).containsExactlyInAnyOrder(one, other);
    kit.awaitRest(locked);
    assertThat(all).allSatisfy(parent -> assertThat(kit.outline(parent)).containsExactly("notice"));
  }

  @Test
  void twoRelaysThatWaitForALockedParentDeliverInTheOrderOfTheEnds() throws Exception {
    var parent = kit.externalSession();
    var names = List.of("first", "second", "third");
    names.forEach(name -> undelivered(parent, name));

    try (var threads = Executors.newFixedThreadPool(2)) {
      var relays =
          whileLocked(
              parent,
              () -> {
                QuarkusTransaction.requiringNew().run(() -> makeDue(parent));
                var waiting =
                    Stream.generate(() -> threads.submit(() -> deliverAll(parent)))
                        .limit(2)
                        .toList();
                await().until(() -> waiters() >= 2);
                return waiting;
              });
      for (var relay : relays) {
        relay.get(20, TimeUnit.SECONDS);
      }
    }
    kit.awaitRest(parent);

    assertThat(kit.transcript(parent)).hasSize(names.size());
    for (var at = 0; at < names.size(); at++) {
      assertThat(kit.transcript(parent).get(at).text()).contains(names.get(at));
    }
  }

  /** The row has no words of its own. */
  @Test
  void repeatedDeliveryRendersTheResultAgain() {
    var parent = kit.externalSession();
    var failing = undelivered(parent);
    kit.tamper(REFUSE_ENTRY.formatted(failing));
    makeDue(parent);
    await().until(() -> attempts(failing) > 0);

    kit.tamper("update task set result = 'silver' where parent_session_id = ?", parent.value());
    kit.tamper("drop trigger refuse_entry on message");
    kit.awaitRest(parent);

    assertThat(kit.transcript(parent).getFirst().text()).contains("silver").doesNotContain("gold");
  }

  private ParentInbox.BatchOutcome deliverAll(SessionId parent) {
    return parents.deliver(new OwedQuery(List.of(parent), null, BYTES), true);
  }

  /** Transactions that wait for the lock of another one. */
  private int waiters() {
    return kit.row(
        "select count(*) from pg_stat_activity where wait_event_type = 'Lock'", Integer.class);
  }

  private <T> T whileLocked(SessionId session, Supplier<T> work) {
    return QuarkusTransaction.requiringNew()
        .call(() -> {
          kit.tamper("select 1 from session where id = ? for no key update", session.value());
          return work.get();
        });
  }

  @Test
  void rowThatFailsDelaysNoOtherRowThatIsDueWithIt() {
    var parent = kit.externalSession();
    var failing = undelivered(parent);
    undelivered(parent);
    kit.tamper(REFUSE_ENTRY.formatted(failing));

    makeDue(parent);
    await().until(() -> attempts(failing) > 0 && !kit.outline(parent).isEmpty());
    assertThat(kit.outline(parent)).containsExactly("notice");

    kit.tamper("drop trigger refuse_entry on message");
    kit.awaitRest(parent);
    assertThat(kit.outline(parent)).containsExactly("notice", "notice");
  }

  /** A child may end while the cancellation is on its way to it. */
  @Test
  void endOfATaskThatIsOlderThanTheCancellationOfItsParentDoesNotWakeIt() {
    var parent = kit.session(model -> model.saysForever("I see"));
    undelivered(parent);

    kit.cancel(parent);
    makeDue(parent);
    kit.awaitRest(parent);
    assertThat(kit.outline(parent)).isEmpty();

    kit.child("dig", model -> model.says("silver"));
    kit.awaitDelivery(kit.submit(parent, "dig"));
    kit.awaitRest(parent);
    assertThat(kit.outline(parent)).containsExactly("notice", "notice", "assistant");
  }

  @Test
  void cancelledParentIsWokenByOlderEndsAgainOnlyAfterAMessage() {
    var parent = kit.session(model -> model.saysForever("I see"));
    undelivered(parent);
    kit.cancel(parent);
    kit.child("dig again", model -> model.says("silver"));
    kit.awaitDelivery(kit.submit(parent, "dig again"));
    kit.awaitState(parent, SessionState.IDLE);
    assertThat(kit.outline(parent)).containsExactly("notice", "assistant");

    makeDue(parent);
    await().until(() -> isDelivered(parent));
    kit.awaitRest(parent);
    assertThat(kit.outline(parent)).containsExactly("notice", "assistant");

    kit.say(parent, "Go on.");
    kit.awaitRest(parent);
    undelivered(parent);
    makeDue(parent);
    await().until(() -> isDelivered(parent));
    kit.awaitRest(parent);
    assertThat(kit.outline(parent)).endsWith("user", "assistant", "notice", "assistant");
  }

  private boolean isDelivered(SessionId parent) {
    return kit.row(
        "select not exists (select 1 from outbox where state = 'pending' and session_id = '%s')"
            .formatted(parent.value()),
        Boolean.class);
  }

  private void makeDue(SessionId parent) {
    kit.tamper("update outbox set available_at = now() where session_id = ?", parent.value());
  }

  private int attempts(UUID row) {
    return kit.row("select attempts from outbox where id = '%s'".formatted(row), Integer.class);
  }

  /** The row is due for this transaction only. */
  private boolean deliver(SessionId to, UUID row) {
    return QuarkusTransaction.requiringNew()
        .call(() -> {
          kit.tamper("update outbox set available_at = now() where id = ?", row);
          var asked = new OwedQuery(List.of(to), row, 1);
          return !parents.deliver(asked, true).delivered().isEmpty();
        });
  }

  /** The row of a task that has just ended, which is not due, so that no relay delivers it. */
  private UUID undelivered(SessionId parent) {
    return undelivered(parent, "dig");
  }

  private UUID undelivered(SessionId parent, String name) {
    kit.child(name, model -> model.says(name + " for gold"));
    kit.tamper(DELAY_NEW_ROWS);
    try {
      var task = kit.submit(parent, name);
      kit.awaitEnd(task);
      return kit.row(
          "select id from outbox where task_id = '%s'".formatted(task.value()), UUID.class);
    } finally {
      kit.tamper("drop trigger delay_new_rows on outbox");
    }
  }

  private static final String DELAY_NEW_ROWS =
      """
      create or replace function delay_new_rows() returns trigger language plpgsql as
        'begin new.available_at := now() + interval ''1 hour''; return new; end';
      create trigger delay_new_rows before insert on outbox for each row execute function delay_new_rows()
      """;

  private static final String REFUSE_ENTRY =
      """
      create or replace function refuse_entry() returns trigger language plpgsql as
        'begin raise exception ''not now''; end';
      create trigger refuse_entry before insert on message for each row
        when (new.delivery_id = '%s') execute function refuse_entry()
      """;

  private void markPending(UUID row) {
    kit.tamper(
        "update outbox set state = 'pending', available_at = now() + interval '1 hour' where id = ?",
        row);
  }
}
