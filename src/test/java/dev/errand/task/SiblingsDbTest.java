package dev.errand.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.SessionId;
import dev.errand.kit.Gate;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.session.LimitConfig;
import dev.errand.session.TreeStore;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.config.SmallRyeConfigBuilder;
import jakarta.inject.Inject;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;

@QuarkusTest
class SiblingsDbTest implements Story {

  @Inject TaskKit kit;
  @Inject Jdbi jdbi;
  @Inject TreeStore trees;

  /** Otherwise trees that were created before the cap would keep others from being looked at. */
  @Test
  void parentThatHasReachedTheCapHasNoRoomForAWaitingTask() {
    var gate = new Gate();
    kit.child("one", model -> model.at(gate).says("1"));
    kit.child("two", model -> model.at(gate).says("2"));
    var parent = kit.externalSession();
    kit.submit(parent, "one");
    var two = kit.submit(parent, "two");
    gate.awaitArrivals(2);
    var waiting = kit.look(two).child();

    // Only this transaction sees it, so no sweep admits the task.
    QuarkusTransaction.begin();
    try {
      kit.tamper(
          """
          update session set state = 'waiting', waits_for = 'limit', waits_since = now(), waits_order = 1, node_id = null
          where id = ?
          """,
          waiting.value());
      assertThat(admissible("2")).contains(waiting);
      assertThat(admissible("1")).doesNotContain(waiting);
    } finally {
      QuarkusTransaction.rollback();
      gate.open();
    }
    kit.awaitRest(parent);
  }

  private List<SessionId> admissible(String cap) {
    var config =
        new SmallRyeConfigBuilder()
            .withMapping(LimitConfig.class)
            .withDefaultValue("errand.limits.cap.max-background-tasks", cap)
            .build()
            .getConfigMapping(LimitConfig.class);
    return new Siblings(jdbi, trees, config).admissible(50);
  }
}
