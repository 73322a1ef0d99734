package dev.errand.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.SessionId;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;

@QuarkusTest
class EventRetentionDbTest implements Story {

  @Inject TaskKit kit;
  @Inject Jdbi jdbi;
  @Inject EventRetention retention;

  @Test
  void oldEventsAreDeletedAndOthersKeepTheirNumbers() {
    var session = kit.session(model -> model.says("hello"));
    kit.say(session, "hi");
    kit.awaitRest(session);
    var before = numbers(session);
    jdbi.useHandle(handle ->
        handle.execute(
            "update event set created_at = now() - interval '31 days' where root_id = ? and number"
                + " <= 2",
            session.value()));

    retention.run(() -> false);

    assertThat(numbers(session)).isEqualTo(before.subList(2, before.size())).isNotEmpty();
  }

  private List<Long> numbers(SessionId root) {
    return jdbi.withHandle(handle ->
        handle
            .select("select number from event where root_id = ? order by number", root.value())
            .mapTo(Long.class)
            .list());
  }
}
