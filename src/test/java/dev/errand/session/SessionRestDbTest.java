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
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.narayana.jta.QuarkusTransactionException;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/**
 * A session does not rest while its inbox contains an entry that must wake it (architecture, rule
 * 11).
 */
@QuarkusTest
class SessionRestDbTest implements Story {

  private static final int RACES = 20;
  private static final InboxEntry.UserMessage HELLO = new InboxEntry.UserMessage("hello");

  @Inject TaskKit kit;
  @Inject Leases leases;
  @Inject SessionTransitions transitions;
  @Inject SessionRests sessionRests;
  @Inject Mailbox mailbox;
  @Inject Arrivals arrivals;
  @Inject TurnStore turns;
  @Inject SessionEvents events;
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

    assertThat(inTransaction(lease, sessionRests::park)).isFalse();
    leases.drop(lease.session());
  }

  @Test
  void sessionWithOtherUnreadEntriesParksToWaitForItsAnswer() {
    var lease = leases.claimed();
    send(lease.session());

    assertThat(inTransaction(lease, sessionRests::park)).isTrue();
    leases.drop(lease.session());
  }

  /** Its owner has read the result in the transaction that the boundary waits for. */
  @Test
  void entryThatIsWithdrawnWhileATurnBoundaryWaitsForTheSessionIsNotRead() throws Exception {
    var lease = leases.claimed();
    var row = UUID.randomUUID();
    var notice = new InboxEntry.Notice("done", Instant.now(), null);
    arrivals.put(lease.session(), new Arrivals.Arrival(row, 0, null, notice));

    try (var thread = Executors.newSingleThreadExecutor()) {
      var settled =
          QuarkusTransaction.requiringNew()
              .call(() -> {
                leases.waitForLocks();
                transitions.lock(lease.session());
                var settling =
                    thread.submit(
                        () -> boundary.settle(lease, Optional.empty(), "scripted:none", false));
                await().until(() -> leases.someWaitForLocks());
                assertThat(mailbox.withdraw(row)).isTrue();
                return settling;
              });
      assertThat(settled.get().added()).isEmpty();
    }
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
    var call = new Content.ToolCall("call_1", "task", JsonNodeFactory.instance.objectNode());
    var asked = ModelCall.first(1, "scripted:none");
    QuarkusTransaction.requiringNew().run(() -> events.modelStarted(lease.session(), asked));
    turns.save(
        lease,
        MessageId.next(),
        new TurnStore.Turn(List.of(call), List.of(ToolEffect.CHECKED), Usage.NONE, asked));
    ledger.start(lease, List.of(new CallKey(1, 0)));
    ledger.defer(new ToolLedger.Entry(lease, new CallKey(1, 0)));

    var rests = race(lease, sessionRests::park, this::answer);

    assertThat(leases.restsWithUnreadMail(lease.session())).isFalse();
    releaseUnlessAtRest(lease, rests);
    kit.awaitRest(lease.session());
    assertThat(kit.outline(lease.session()))
        .containsExactly("assistant: task", "tool", "assistant");
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
      QuarkusTransaction.requiringNew().run(() -> transitions.yield(lease));
    }
  }

  private boolean becomesIdle(Lease lease) {
    return sessionRests.idle(lease).isPresent();
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
    arrivals.put(
        session,
        new Arrivals.Arrival(
            UUID.randomUUID(),
            0,
            null,
            new InboxEntry.ToolAnswer("1.0", "answer", false, Instant.now())));
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
