package dev.errand.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;

@QuarkusTest
class RelayDbTest implements Story {

  @Inject TaskKit kit;

  @Test
  void rowThatCannotBeDeliveredIsTriedAgainAndHoldsUpNoOther() {
    var broken = kit.externalSession();
    var sound = kit.externalSession();
    kit.child("one", model -> model.says("1"));
    kit.child("two", model -> model.says("2"));
    kit.tamper(
        """
        create or replace function refuse_notices() returns trigger language plpgsql as
          'begin raise exception ''not now''; end';
        create trigger refuse_notices before insert on inbox for each row
          when (new.session_id = '%s') execute function refuse_notices()
        """
            .formatted(broken.value()));

    var task = kit.submit(broken, "one");
    kit.awaitEnd(task);
    kit.submit(sound, "two");
    kit.awaitRest(sound);
    await().until(() -> kit.look(task).delivery().orElseThrow().attempts() > 0);
    assertThat(kit.look(task).delivery().orElseThrow().lastError()).startsWith("delivery failed");

    kit.tamper("drop trigger refuse_notices on inbox");
    kit.awaitRest(broken);
    assertThat(kit.outline(broken)).containsExactly("notice");
  }
}
