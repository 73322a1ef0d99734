package dev.errand.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.f4b6a3.uuid.UuidCreator;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a node counts as dead (architecture, rule 5). */
@QuarkusTest
class NodeLeaseDbTest {

  /** Locks count from 20 s after the start of the database, and must be free for 3 s. */
  private static final Duration TIME_LIMIT = Duration.ofSeconds(90);

  private final UUID other = UuidCreator.getTimeOrderedEpoch();

  @Inject NodeLease lease;
  @Inject Node node;
  @Inject Jdbi jdbi;

  @AfterEach
  void forget() {
    lease.forget(other);
  }

  @Test
  void nodeWithAnExpiredLeaseIsDead() {
    insert("clock_timestamp() - interval '1 second'");

    await().atMost(TIME_LIMIT).until(() -> isRemoved(other));
  }

  @Test
  void nodeWithoutItsLockIsDeadBeforeItsLeaseExpires() {
    insert("clock_timestamp() + interval '10 minutes'");

    await().atMost(TIME_LIMIT).until(() -> isRemoved(other));
  }

  @Test
  void nodeThatHasItsLockIsAlive() {
    var deadBefore = UuidCreator.getTimeOrderedEpoch();

    jdbi.useHandle(handle -> {
      handle.execute("select pg_advisory_lock(?)", Node.lockKey(other));
      insert("clock_timestamp() + interval '10 minutes'");
      insert(deadBefore, "clock_timestamp() + interval '10 minutes'");
      await().atMost(TIME_LIMIT).until(() -> isRemoved(deadBefore));
      assertThat(isRemoved(other)).isFalse();
      handle.execute("select pg_advisory_unlock(?)", Node.lockKey(other));
    });
  }

  /** As after a failover: the locks of the others may be free because they reconnect, too. */
  @Test
  void nodeThatHasHadItsOwnLockOnlyBrieflyDoesNotJudgeByLocks() {
    var reconnecting = new Node();
    var starting = new Node();
    var lost = new NodeLease(jdbi, reconnecting, 1, false);
    var fresh = new NodeLease(jdbi, starting, 1, false);

    insert("clock_timestamp() + interval '10 minutes'");
    QuarkusTransaction.requiringNew()
        .run(() -> {
          jdbi.useHandle(handle -> {
            handle.execute("select 1 from node where id = ? for update", other);
            handle.execute("select pg_advisory_xact_lock(?)", Node.lockKey(starting.id()));
            handle.execute(
                "insert into node (id, name, slots, lease_until) values (?, 'starting', 0, now())",
                starting.id());
          });
          await()
              .atMost(TIME_LIMIT)
              .pollInSameThread()
              .until(() -> {
                assertThat(lost.dead()).doesNotContain(other);
                return fresh.dead().contains(other);
              });
          fresh.forget(starting.id());
        });
  }

  @Test
  void nodeNeverCountsItselfAsDead() {
    assertThat(lease.dead()).isEmpty();
    await().atMost(TIME_LIMIT).until(lease::isTrusted);
  }

  /** The service removes the rows of dead nodes once a second. */
  private boolean isRemoved(UUID id) {
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
            "insert into node (id, name, slots, started_at, lease_until) values (?, 'other', 0, now() -"
                + " interval '1 hour', "
                + leaseUntil
                + ")",
            id));
  }
}
