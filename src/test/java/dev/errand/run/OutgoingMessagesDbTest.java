package dev.errand.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.WebhookReceiver;
import dev.errand.session.Lease;
import dev.errand.session.LeaseLost;
import dev.errand.session.Leases;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A tool call sends its message once. */
@QuarkusTest
class OutgoingMessagesDbTest {

  private static final String EVENTS =
      "select count(*) from event where session_id = :id and type = 'session.message'";

  private static final String POSTS = "select count(*) from outbox where session_id = :id";

  @Inject Leases leases;
  @Inject OutgoingMessages messages;
  @Inject MeterRegistry registry;

  @Test
  void repeatedCallSendsNoSecondMessage() {
    var lease = leases.claimed();

    messages.send(lease, "2.0", "half done");
    messages.send(lease, "2.0", "half done");
    messages.send(lease, "2.1", "half done");

    assertThat(leases.count(EVENTS, lease.session())).isEqualTo(2);
    leases.drop(lease.session());
  }

  @Test
  void repeatedCallPostsNoSecondMessage() {
    try (var receiver = new WebhookReceiver()) {
      var lease = leases.claimed();
      leases.callback(lease.session(), receiver.url());

      messages.send(lease, "2.0", "half done");
      messages.send(lease, "2.0", "half done");
      messages.send(lease, "2.1", "nearly done");
      receiver.awaitPosts(2);
      await()
          .atMost(Duration.ofSeconds(120))
          .until(() -> leases.count(POSTS + " and state = 'delivered'", lease.session()) == 2);

      assertThat(leases.count(POSTS, lease.session())).isEqualTo(2);
      // A post whose answer is not read in time is repeated.
      assertThat(receiver.posts().stream().map(post -> post.header("webhook-id")).distinct())
          .hasSize(2);
      leases.drop(lease.session());
    }
  }

  @Test
  void runThatHasLostItsSessionSendsNothing() {
    var lease = leases.claimed();
    var late = new Lease(lease.session(), lease.epoch() - 1);

    assertThatThrownBy(() -> messages.send(late, "2.0", "late")).isInstanceOf(LeaseLost.class);

    assertThat(leases.count(EVENTS, lease.session())).isZero();
    leases.drop(lease.session());
  }

  /** Otherwise the alert about failed sessions misses the first failure with a code. */
  @Test
  void failuresWithEachCodeAreCountedFromTheStart() {
    assertThat(registry.get("errand.sessions.failed").counters())
        .extracting(counter -> counter.getId().getTag("code"))
        .contains(
            "agent_unknown",
            "budget_exhausted",
            "database_error",
            "model_unauthorized",
            "model_unpriced",
            "worker_lost",
            "workspace_failed",
            "workspace_lost",
            "workspace_not_allowed");
  }
}
