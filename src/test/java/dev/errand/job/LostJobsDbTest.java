package dev.errand.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@QuarkusTest
class LostJobsDbTest implements Story {

  @Inject TaskKit kit;

  @Test
  void queuedSessionWithoutAJobGetsANewOne() {
    var session = kit.session(model -> model.says("here I am"));
    kit.tamper(
        "update session set state = 'queued', queued_at = now() + interval '1 hour', job_id = ?"
            + " where id = ?",
        UUID.randomUUID(),
        session.value());
    kit.say(session, "Anybody there?");

    kit.tamper(
        "update session set queued_at = now() - interval '1 hour' where id = ?", session.value());
    kit.awaitRest(session);

    assertThat(kit.outline(session)).containsExactly("user", "assistant");
  }
}
