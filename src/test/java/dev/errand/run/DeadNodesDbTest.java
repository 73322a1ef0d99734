package dev.errand.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.narayana.jta.QuarkusTransaction;
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
    var job = job(child.value());
    killOwner(child.value());
    gate.awaitInterrupt();
    var ended = kit.awaitEnd(task);

    assertThat(ended.outcome().orElseThrow().result()).isEqualTo("gold");
    assertThat(kit.takeovers(task)).isEqualTo(1);
    assertThat(job(child.value())).isNotEqualTo(job);
    var rows = "select count(*) from jobrunr_jobs where id = '" + job + "'";
    assertThat(kit.row(rows, Integer.class)).isZero();
  }

  /** The job that is to run the session, or ran it last. */
  private String job(UUID session) {
    return kit.row("select job_id::text from session where id = '" + session + "'", String.class);
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
    assertThat(kit.takeovers(task)).isEqualTo(1);
  }

  @Test
  void lockedSessionOfADeadNodeIsTakenOverLaterThanTheOthers() {
    var locked = running("dig 1");
    var other = running("dig 2");
    var dead = owner();
    own(dead, child(locked));
    own(dead, child(other));

    QuarkusTransaction.requiringNew()
        .run(() -> {
          kit.tamper("set local idle_in_transaction_session_timeout = 0");
          kit.tamper("select 1 from session where id = ? for update", child(locked));
          QuarkusTransaction.requiringNew().run(() -> kill(dead));
          kit.awaitEnd(other);
        });

    kit.awaitEnd(locked);
    assertThat(kit.takeovers(locked)).isEqualTo(1);
    assertThat(kit.takeovers(other)).isEqualTo(1);
    var nodes = "select count(*) from node where id = '" + dead + "'";
    await().until(() -> kit.row(nodes, Integer.class) == 0);
  }

  private TaskId running(String prompt) {
    var gate = new Gate();
    kit.child(prompt, model -> model.at(gate).says("lost").thenSays("gold"));
    var task = kit.submit(kit.externalSession(), prompt);
    gate.awaitArrivals(1);
    return task;
  }

  private UUID child(TaskId task) {
    return kit.look(task).child().value();
  }

  private void killOwner(UUID session) {
    var dead = owner();
    own(dead, session);
    kill(dead);
  }

  private UUID owner() {
    var node = UuidCreator.getTimeOrderedEpoch();
    kit.tamper(
        "insert into node (id, name, slots, lease_until) values (?, 'dead', 0, clock_timestamp() + interval '1 hour')",
        node);
    return node;
  }

  private void own(UUID node, UUID session) {
    kit.tamper("update session set node_id = ? where id = ?", node, session);
  }

  private void kill(UUID node) {
    kit.tamper(
        "update node set lease_until = clock_timestamp() - interval '1 second' where id = ?", node);
  }
}
