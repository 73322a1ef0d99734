package dev.errand.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.SessionId;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

@QuarkusTest
class ClaimDbTest {

  private static final int WORKERS = 4;

  @Inject Leases leases;
  @Inject SessionClaims claims;
  @Inject SessionRests rests;
  @Inject SessionStops stops;

  @Test
  void secondClaimOfOneSessionIsRefused() {
    var session = leases.queued();

    var first = claim(session);
    var second = claim(session);

    assertThat(first).isPresent();
    assertThat(second).isEmpty();
    leases.drop(session);
  }

  @RepeatedTest(20)
  void exactlyOneOfSeveralConcurrentWorkersClaimsTheSession() throws Exception {
    var session = leases.queued();
    var start = new CyclicBarrier(WORKERS);

    try (var threads = Executors.newFixedThreadPool(WORKERS)) {
      var claims =
          threads.invokeAll(
              IntStream.range(0, WORKERS)
                  .<Callable<Optional<Lease>>>mapToObj(_ ->
                      () -> {
                        start.await();
                        return claim(session);
                      })
                  .toList());
      assertThat(claims.stream().filter(claim -> claim.resultNow().isPresent())).hasSize(1);
    }
    leases.drop(session);
  }

  @Test
  void eachClaimRaisesTheEpoch() {
    var session = leases.queued();
    var first = leases.claim(session, UUID.randomUUID());
    QuarkusTransaction.requiringNew().run(() -> stops.stop(session, "test ended"));
    leases.queue(session);

    var second = leases.claim(session, UUID.randomUUID());

    assertThat(second.epoch()).isGreaterThan(first.epoch());
    leases.drop(session);
  }

  @Test
  void claimOfAnIdleOrUnknownSessionIsRefused() {
    var session = leases.claimed();
    QuarkusTransaction.requiringNew().run(() -> rests.idle(session));

    assertThat(claim(session.session())).isEmpty();
    assertThat(claim(SessionId.next())).isEmpty();
    leases.drop(session.session());
  }

  private Optional<Lease> claim(SessionId session) {
    return QuarkusTransaction.requiringNew()
        .call(() -> {
          leases.waitForLocks();
          return claims.claim(session, UUID.randomUUID());
        })
        .map(SessionClaims.ClaimedSession::lease);
  }
}
