package dev.errand.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.Message;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@QuarkusTest
class MailboxDbTest implements Story {

  private static final String JOBS =
      "select count(*) from jobrunr_jobs where jobasjson::text like '%' || :id || '%'";

  @Inject TaskKit kit;
  @Inject Leases leases;
  @Inject Mailbox mailbox;
  @Inject InboxDelivery inboxes;

  @Test
  void repeatedReplayOfOneOutboxRowCreatesOneEntry() {
    var session = kit.session(model -> model.saysForever("I see"));
    var outboxId = UUID.randomUUID();

    arrive(session, outboxId, notice("done"));
    arrive(session, outboxId, notice("done"));
    kit.awaitRest(session);
    arrive(session, outboxId, notice("done"));
    kit.awaitRest(session);

    assertThat(kit.outline(session)).containsExactly("notice", "assistant");
  }

  @Test
  void severalEntriesForAnIdleSessionEnqueueOneJob() {
    var session = kit.session(model -> model.saysForever("I see"));

    QuarkusTransaction.requiringNew()
        .run(() -> {
          arrive(session, UUID.randomUUID(), notice("one"));
          arrive(session, UUID.randomUUID(), notice("two"));
          mailbox.send(session, MessageId.next(), new InboxEntry.UserMessage("three"));
          assertThat(leases.count(JOBS, session)).isEqualTo(1);
        });
    kit.awaitRest(session);

    assertThat(kit.outline(session)).containsExactly("notice", "notice", "user", "assistant");
  }

  @Test
  void entryForARunningSessionEnqueuesNoJob() {
    var lease = leases.claimed();

    var state = mailbox.send(lease.session(), MessageId.next(), new InboxEntry.UserMessage("hi"));

    assertThat(state).contains(SessionState.RUNNING);
    assertThat(leases.count(JOBS, lease.session())).isZero();
    leases.drop(lease.session());
  }

  @Test
  void entryForASessionThatDoesNotExistIsIgnored() {
    var session = SessionId.next();

    arrive(session, UUID.randomUUID(), notice("x"));

    assertThat(leases.count(JOBS, session)).isZero();
  }

  @Test
  void answerToAClosedCallDoesNotWakeTheSession() {
    var session = kit.session(model -> model.saysForever("not reached"));

    arrive(
        session,
        UUID.randomUUID(),
        new InboxEntry.ToolAnswer("1.0", "too late", false, Instant.now()));
    kit.awaitRest(session);

    assertThat(kit.requests(session)).isEmpty();
    assertThat(leases.count(JOBS, session)).isZero();
  }

  @Test
  void noticesAreReadInTheOrderOfTaskEndsAndUserMessagesKeepTheirPosition() {
    var session = kit.session(model -> model.saysForever("I see"));
    var end = Instant.parse("2026-01-01T00:00:00Z");

    QuarkusTransaction.requiringNew()
        .run(() -> {
          replay(session, "third", end.plusSeconds(2));
          mailbox.send(session, MessageId.next(), new InboxEntry.UserMessage("hello"));
          replay(session, "second", end.plusSeconds(1));
          replay(session, "first", end);
        });
    kit.awaitRest(session);

    assertThat(kit.transcript(session).stream().limit(4).map(Message::text))
        .containsExactly("first", "hello", "second", "third");
  }

  private void arrive(SessionId session, UUID outboxId, InboxEntry entry) {
    inboxes.deliver(session, InboxDelivery.DeliveredEntry.of(outboxId, entry));
  }

  private void replay(SessionId session, String text, Instant endedAt) {
    arrive(session, UUID.randomUUID(), new InboxEntry.Notice(text, endedAt, UUID.randomUUID()));
  }

  private static InboxEntry.Notice notice(String text) {
    return new InboxEntry.Notice(text, Instant.now(), UUID.randomUUID());
  }
}
