package dev.errand.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.outbox.Delivery;
import dev.errand.session.SessionState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

@QuarkusTest
class ReplayDbTest implements Story {

  @Inject TaskKit kit;
  @Inject ParentInbox parents;

  @Test
  void secondReplayOfARowDeliversNothing() {
    var parent = kit.externalSession();
    var row = undelivered(parent);

    assertThat(deliver(row)).isTrue();
    assertThat(deliver(row)).isFalse();

    assertThat(kit.outline(parent)).containsExactly("notice");
  }

  @Test
  void deliveredRowThatIsNotMarkedIsMarkedAndNotDeliveredAgain() {
    var parent = kit.externalSession();
    var row = undelivered(parent);
    deliver(row);
    markPending(row.id());

    assertThat(deliver(row)).isTrue();

    assertThat(kit.outline(parent)).containsExactly("notice");
  }

  @Test
  void exactlyOneOfSeveralConcurrentRelaysDelivers() throws Exception {
    var parent = kit.externalSession();
    var row = undelivered(parent);

    try (var threads = Executors.newFixedThreadPool(4)) {
      var delivered =
          threads.invokeAll(
              IntStream.range(0, 4).<Callable<Boolean>>mapToObj(_ -> () -> deliver(row)).toList());
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
  void rowThatFailsDelaysNoOtherRowThatIsDueWithIt() {
    var parent = kit.externalSession();
    var failing = undelivered(parent).id();
    undelivered(parent);
    kit.tamper(REFUSE_ENTRY.formatted(failing));

    makeDue(parent);
    await().until(() -> attempts(failing) > 0 && !kit.outline(parent).isEmpty());
    assertThat(kit.outline(parent)).containsExactly("notice");

    kit.tamper("drop trigger refuse_entry on inbox");
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
    kit.child("dig anew", model -> model.says("silver"));
    kit.awaitDelivery(kit.submit(parent, "dig anew"));
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

  private boolean deliver(Delivery row) {
    return !parents.deliver(row.to(), List.of(row), true).delivered().isEmpty();
  }

  /** The row of a task that has just ended, which is not due, so that no relay delivers it. */
  private Delivery undelivered(SessionId parent) {
    kit.child("dig", model -> model.says("gold"));
    kit.tamper(HOLD_NEW_ROWS);
    try {
      var task = kit.submit(parent, "dig");
      kit.awaitEnd(task);
      return delivery(task, parent);
    } finally {
      kit.tamper("drop trigger hold_new_rows on outbox");
    }
  }

  private static final String HOLD_NEW_ROWS =
      """
      create or replace function hold_new_rows() returns trigger language plpgsql as
        'begin new.available_at := now() + interval ''1 hour''; return new; end';
      create trigger hold_new_rows before insert on outbox for each row execute function hold_new_rows()
      """;

  private static final String REFUSE_ENTRY =
      """
      create or replace function refuse_entry() returns trigger language plpgsql as
        'begin raise exception ''not now''; end';
      create trigger refuse_entry before insert on inbox for each row
        when (new.source_outbox_id = '%s') execute function refuse_entry()
      """;

  private Delivery delivery(TaskId task, SessionId parent) {
    var where = " from outbox where task_id = '" + task.value() + "'";
    return new Delivery(
        kit.row("select id" + where, UUID.class),
        parent,
        "session",
        kit.row("select payload::text" + where, String.class),
        Instant.now(),
        0,
        Instant.now(),
        null);
  }

  private void markPending(UUID row) {
    kit.tamper(
        "update outbox set state = 'pending', available_at = now() + interval '1 hour' where id = ?",
        row);
  }
}
