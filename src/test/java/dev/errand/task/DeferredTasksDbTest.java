package dev.errand.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.SessionId;
import dev.errand.kit.Gate;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.session.LimitConfig;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.config.SmallRyeConfigBuilder;
import jakarta.inject.Inject;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;

@QuarkusTest
class DeferredTasksDbTest implements Story {

  @Inject TaskKit kit;
  @Inject Jdbi jdbi;

  /** Otherwise trees that were created before the cap would keep others from being looked at. */
  @Test
  void parentThatHasReachedTheCapHasNoRoomForAHeldTask() {
    var gate = new Gate();
    kit.child("one", model -> model.at(gate).says("1"));
    kit.child("two", model -> model.at(gate).says("2"));
    var parent = kit.externalSession();
    kit.submit(parent, "one");
    var two = kit.submit(parent, "two");
    gate.awaitArrivals(2);
    var held = kit.look(two).child();

    // Only this transaction sees it, so no sweep admits the task.
    QuarkusTransaction.begin();
    try {
      kit.tamper(
          "update task set state = 'pending', admitted_at = null, started_at = null, deadline_at = null where id = ?",
          two.value());
      assertThat(admissible("2")).contains(held);
      assertThat(admissible("1")).doesNotContain(held);
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
    return new DeferredTasks(jdbi, config).admissible(50);
  }
}
