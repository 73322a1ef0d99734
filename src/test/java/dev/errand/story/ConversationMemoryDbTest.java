package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.session.SessionState;
import dev.errand.task.TaskState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Runs whose conversations do not fit into the memory of the node together. */
@QuarkusTest
class ConversationMemoryDbTest implements Story {

  /** With 4 bytes for a character, 15 of these conversations fit into the 16 MiB of tests. */
  private static final String LONG = "Consider this. ".repeat(16_000);

  private static final int FIT = 15;

  @Inject TaskKit kit;

  @Test
  void runsAboveTheMemoryOfTheNodeWaitWithoutAWorker() {
    var gate = new Gate();
    var sessions =
        IntStream.rangeClosed(0, FIT)
            .mapToObj(_ -> kit.session(model -> model.at(gate).says("considered")))
            .toList();

    sessions.forEach(session -> kit.say(session, LONG));
    gate.awaitArrivals(FIT);
    var waiting = awaitOneWaiting(sessions);
    assertThat(reason(waiting)).isEqualTo("node_busy");
    assertThat(kit.modelEvents(waiting)).startsWith("started 1, ended 1 node_busy");

    kit.child("dig", model -> model.says("gold"));
    var task = kit.submit(kit.externalSession(), "dig");
    var child = kit.look(task).child();
    kit.awaitState(child, SessionState.WAITING);
    assertThat(reason(child)).isEqualTo("node_busy");
    assertThat(kit.look(task).state()).as("its time-out does not run").isEqualTo(TaskState.PENDING);
    assertThat(kit.look(task).startedAt()).isNull();

    gate.open();
    sessions.forEach(session -> kit.awaitState(session, SessionState.IDLE));
    assertThat(result(task)).isEqualTo("gold");
    assertThat(kit.outline(waiting)).containsExactly("user", "assistant");
  }

  private SessionId awaitOneWaiting(List<SessionId> sessions) {
    return await("a session waits")
        .until(
            () ->
                sessions.stream()
                    .filter(session -> kit.look(session).state() == SessionState.WAITING)
                    .toList(),
            waiting -> waiting.size() == 1)
        .getFirst();
  }

  private String reason(SessionId session) {
    return kit.row(
        """
        select data ->> 'reason' from event
        where session_id = '%s' and data ->> 'state' = 'waiting' order by number desc limit 1
        """
            .formatted(session.value()),
        String.class);
  }

  private String result(TaskId task) {
    return kit.awaitEnd(task).outcome().orElseThrow().result();
  }
}
