package dev.errand.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.f4b6a3.uuid.UuidCreator;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Architecture, rule 5. */
@QuarkusTest
class NodeLeaseDbTest {

  /** A free lock says nothing for 20 s after the database's start, and must be free for 3 s. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final UUID other = UuidCreator.getTimeOrderedEpoch();

  @Inject NodeLease lease;
  @Inject Jdbi jdbi;

  @AfterEach
  void forget() {
    lease.forget(other);
  }

  @Test
  void nodeWhoseLeaseRanOutIsDead() {
    insert("clock_timestamp() - interval '1 second'");

    await().atMost(PATIENCE).until(() -> isBuried(other));
  }

  @Test
  void nodeWithoutItsLockIsDeadBeforeItsLeaseRunsOut() {
    insert("clock_timestamp() + interval '10 minutes'");

    await().atMost(PATIENCE).until(() -> isBuried(other));
  }

  @Test
  void nodeThatHoldsItsLockLives() {
    insert("clock_timestamp() + interval '10 minutes'");
    var deadBefore = UuidCreator.getTimeOrderedEpoch();
    insert(deadBefore, "clock_timestamp() + interval '10 minutes'");

    jdbi.useHandle(handle -> {
      handle.execute("select pg_advisory_lock(?)", Node.lockKey(other));
      await().atMost(PATIENCE).until(() -> isBuried(deadBefore));
      assertThat(isBuried(other)).isFalse();
      handle.execute("select pg_advisory_unlock(?)", Node.lockKey(other));
    });
  }

  @Test
  void nodeNeverTakesItselfForDead() {
    assertThat(lease.dead()).isEmpty();
    assertThat(lease.isTrusted()).isTrue();
  }

  /** The service's own reaper looks once a second. */
  private boolean isBuried(UUID id) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select not exists (select 1 from node where id = :id)")
            .bind("id", id)
            .mapTo(Boolean.class)
            .one());
  }

  private void insert(String leaseUntil) {
    insert(other, leaseUntil);
  }

  private void insert(UUID id, String leaseUntil) {
    jdbi.useHandle(handle ->
        handle.execute(
            "insert into node (id, name, started_at, lease_until) values (?, 'other', now() - interval '1 hour', "
                + leaseUntil
                + ")",
            id));
  }
}
