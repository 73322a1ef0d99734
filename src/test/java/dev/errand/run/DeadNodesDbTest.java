package dev.errand.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.errand.kit.Gate;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Sessions of a dead node continue on another node (architecture, rules 5 and 6). */
@QuarkusTest
class DeadNodesDbTest implements Story {

  @Inject TaskKit kit;

  @Test
  void sessionOfADeadNodeContinuesWithAnotherJobAndItsOldJobIsDeleted() {
    var gate = new Gate();
    kit.child("dig", model -> model.at(gate).says("lost").thenSays("gold"));
    var task = kit.submit(kit.externalSession(), "dig");
    gate.awaitArrivals(1);
    var child = kit.look(task).child();
    var job =
        kit.row(
            "select job_id::text from session where id = '" + child.value() + "'", String.class);

    killOwner(child.value());
    gate.awaitInterrupt();
    var ended = kit.awaitEnd(task);

    assertThat(ended.outcome().orElseThrow().result()).isEqualTo("gold");
    assertThat(ended.takeovers()).isEqualTo(1);
    await()
        .untilAsserted(() ->
            assertThat(
                    kit.row(
                        "select state from jobrunr_jobs where id = '" + job + "'", String.class))
                .isEqualTo("DELETED"));
  }

  /**
   * The node was considered dead after an outage, claimed a session, and died before it renewed its
   * lease.
   */
  @Test
  void sessionOfANodeWithoutARowContinues() {
    var gate = new Gate();
    kit.child("dig", model -> model.at(gate).says("lost").thenSays("gold"));
    var task = kit.submit(kit.externalSession(), "dig");
    gate.awaitArrivals(1);

    kit.tamper(
        "update session set node_id = ?, updated_at = now() - interval '1 minute' where id = ?",
        UuidCreator.getTimeOrderedEpoch(),
        kit.look(task).child().value());
    gate.awaitInterrupt();
    var ended = kit.awaitEnd(task);

    assertThat(ended.outcome().orElseThrow().result()).isEqualTo("gold");
    assertThat(ended.takeovers()).isEqualTo(1);
  }

  private void killOwner(UUID session) {
    var dead = UuidCreator.getTimeOrderedEpoch();
    kit.tamper(
        "insert into node (id, name, lease_until) values (?, 'dead', clock_timestamp() + interval '1 hour')",
        dead);
    kit.tamper("update session set node_id = ? where id = ?", dead, session);
    kit.tamper(
        "update node set lease_until = clock_timestamp() - interval '1 second' where id = ?", dead);
  }
}
