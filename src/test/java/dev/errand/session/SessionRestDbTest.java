package dev.errand.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.errand.conversation.Content;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.ToolEffect;
import dev.errand.conversation.Usage;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.session.SessionRests.RestOutcome;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.narayana.jta.QuarkusTransactionException;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/**
 * A session does not rest while its inbox contains an entry that must wake it (architecture, rule
 * 11).
 */
@QuarkusTest
class SessionRestDbTest implements Story {

  private static final int RACES = 20;
  private static final CallKey FIRST = new CallKey(1, 0);
  private static final CallKey SECOND = new CallKey(1, 1);
  private static final InboxEntry.UserMessage HELLO = new InboxEntry.UserMessage("hello");

  @Inject TaskKit kit;
  @Inject Leases leases;
  @Inject SessionHandover handover;
  @Inject SessionLocks locks;
  @Inject SessionRests sessionRests;
  @Inject Mailbox mailbox;
  @Inject InboxDelivery inboxes;
  @Inject TurnStore turns;
  @Inject ModelCallEvents modelCalls;
  @Inject ToolLedger ledger;
  @Inject TurnBoundary boundary;

  @Test
  void sessionWithAnUnreadMessageDoesNotBecomeIdle() {
    var lease = leases.claimed();
    send(lease.session());

    assertThat(inTransaction(lease, this::becomesIdle)).isFalse();
    assertThat(leases.restsWithUnreadMail(lease.session())).isFalse();
    leases.drop(lease.session());
  }

  @Test
  void sessionWithAnUnreadAnswerDoesNotPark() {
    var lease = leases.claimed();
    answer(lease.session());

    assertThat(inTransaction(lease, this::parks)).isFalse();
    leases.drop(lease.session());
  }

  @Test
  void sessionWithOtherUnreadEntriesParksToWaitForItsAnswer() {
    var lease = leases.claimed();
    send(lease.session());

    assertThat(inTransaction(lease, this::parks)).isTrue();
    leases.drop(lease.session());
  }

  /** Its owner has read the result in the transaction that the boundary waits for. */
  @Test
  void entryThatIsWithdrawnWhileATurnBoundaryWaitsForTheSessionIsNotRead() throws Exception {
    var lease = leases.claimed();
    var row = UUID.randomUUID();
    var notice = new InboxEntry.Notice("done", Instant.now(), UUID.randomUUID());
    inboxes.deliver(lease.session(), InboxDelivery.DeliveredEntry.of(row, notice));

    try (var thread = Executors.newSingleThreadExecutor()) {
      var settled =
          QuarkusTransaction.requiringNew()
              .call(() -> {
                leases.waitForLocks();
                locks.lock(lease.session());
                var settling = thread.submit(() -> boundary.settle(lease, "scripted:none", false));
                await().until(() -> leases.someWaitForLocks());
                assertThat(mailbox.withdraw(row)).isTrue();
                return settling;
              });
      assertThat(settled.get().transcript().messages()).isEmpty();
    }
    leases.drop(lease.session());
  }

  /** The first one failed to call its model, for example. */
  @Test
  void noticeThatArrivesBeforeTheFirstTurnIsSavedDoesNotTakeTheUsersPlace() {
    var lease = leases.claimed();
    send(lease.session());
    boundary.settle(lease, "scripted:none", false);
    var notice = new InboxEntry.Notice("done", Instant.now(), UUID.randomUUID());
    inboxes.deliver(
        lease.session(),
        new InboxDelivery.DeliveredEntry(UUID.randomUUID(), 2, null, null, notice));

    boundary.settle(lease, "scripted:none", false);

    assertThat(leases.count("select generation from session where id = :id", lease.session()))
        .isZero();
    leases.drop(lease.session());
  }

  @RepeatedTest(RACES)
  void messageDuringTheChangeToIdleWakesTheSession() throws Exception {
    var lease = hosted();

    var rests = race(lease, this::becomesIdle, this::send);

    assertThat(leases.restsWithUnreadMail(lease.session())).isFalse();
    releaseUnlessAtRest(lease, rests);
    kit.awaitRest(lease.session());
    assertThat(kit.outline(lease.session())).containsExactly("user", "assistant");
  }

  @RepeatedTest(RACES)
  void answerDuringParkingWakesTheSession() throws Exception {
    var lease = hosted();
    asksFor(lease, "call_1");
    ledger.defer(new ToolLedger.LeasedCall(lease, FIRST));

    var rests = race(lease, this::parks, this::answer);

    assertThat(leases.restsWithUnreadMail(lease.session())).isFalse();
    releaseUnlessAtRest(lease, rests);
    kit.awaitRest(lease.session());
    assertThat(kit.outline(lease.session()))
        .containsExactly("assistant: task", "tool", "assistant");
  }

  @Test
  void answerToAClosedCallDoesNotWakeAWaitingSession() {
    var lease = hosted();
    asksFor(lease, "call_1", "call_2");
    ledger.finish(
        new ToolLedger.LeasedCall(lease, FIRST),
        ToolCallState.DONE,
        new CallResult("stopped", true));
    ledger.defer(new ToolLedger.LeasedCall(lease, SECOND));
    assertThat(inTransaction(lease, this::parks)).isTrue();

    answer(lease.session(), FIRST);
    assertThat(kit.look(lease.session()).state()).isEqualTo(SessionState.WAITING);
    assertThat(leases.restsWithUnreadMail(lease.session())).isFalse();

    answer(lease.session(), SECOND);
    kit.awaitRest(lease.session());
    assertThat(kit.outline(lease.session()))
        .containsExactly("assistant: task, task", "tool", "assistant");
    assertThat(kit.toolResults(lease.session()))
        .extracting(Content.ToolResult::text)
        .containsExactly("stopped", "answer");
  }

  /** Saves a turn that asks for these calls, and starts them. */
  private void asksFor(Lease lease, String... calls) {
    var asked = ModelCall.first(1, "scripted:none");
    QuarkusTransaction.requiringNew().run(() -> modelCalls.started(lease.session(), asked));
    var arguments = JsonNodeFactory.instance.objectNode();
    var content =
        Stream.of(calls).<Content>map(id -> new Content.ToolCall(id, "task", arguments)).toList();
    turns.save(
        lease,
        MessageId.next(),
        new TurnStore.ModelTurn(
            content,
            Collections.nCopies(calls.length, ToolEffect.CHECKED),
            Usage.NONE,
            asked,
            null));
    ledger.start(lease, List.of(FIRST, SECOND).subList(0, calls.length));
  }

  /** Runs both at the same time and returns whether the session rests. */
  private boolean race(Lease lease, Predicate<Lease> rest, Consumer<SessionId> send)
      throws Exception {
    var start = new CyclicBarrier(2);
    try (var threads = Executors.newFixedThreadPool(2)) {
      var rests =
          threads.submit(() -> {
            start.await();
            return inTransaction(lease, rest);
          });
      var sent =
          threads.submit(() -> {
            start.await();
            QuarkusTransaction.requiringNew()
                .run(() -> {
                  leases.waitForLocks();
                  send.accept(lease.session());
                });
            return true;
          });
      sent.get();
      return rests.get();
    }
  }

  /** A run that must continue releases its session to a real worker. */
  private void releaseUnlessAtRest(Lease lease, boolean rests) {
    if (!rests) {
      QuarkusTransaction.requiringNew().run(() -> handover.yield(lease));
    }
  }

  private boolean becomesIdle(Lease lease) {
    return sessionRests.idle(lease) instanceof RestOutcome.Rests<?>;
  }

  private boolean parks(Lease lease) {
    return sessionRests.park(lease) instanceof RestOutcome.Rests<?>;
  }

  private Lease hosted() {
    var session = kit.session(model -> model.saysForever("yes"));
    leases.queue(session);
    return leases.claim(session, UUID.randomUUID());
  }

  private void send(SessionId session) {
    mailbox.send(session, MessageId.next(), HELLO);
  }

  private void answer(SessionId session) {
    answer(session, FIRST);
  }

  private void answer(SessionId session, CallKey call) {
    var answer = new InboxEntry.ToolAnswer(call.toString(), "answer", false, Instant.now());
    inboxes.deliver(session, InboxDelivery.DeliveredEntry.of(UUID.randomUUID(), answer));
  }

  /** A run that has to continue rolls the transaction back. */
  private boolean inTransaction(Lease lease, Predicate<Lease> step) {
    var rests = new AtomicBoolean();
    try {
      QuarkusTransaction.requiringNew()
          .run(() -> {
            leases.waitForLocks();
            rests.set(step.test(lease));
          });
    } catch (QuarkusTransactionException rolledBack) {
      assertThat(rests).isFalse();
    }
    return rests.get();
  }
}
