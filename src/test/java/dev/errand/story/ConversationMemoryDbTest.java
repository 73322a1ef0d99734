package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.model.ModelException;
import dev.errand.session.SessionState;
import dev.errand.task.TaskState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Runs whose conversations do not fit into the memory of the node together. */
@QuarkusTest
class ConversationMemoryDbTest implements Story {

  /** With 4 bytes for a character, 3 of these conversations fit into the 3,800 KiB of tests. */
  private static final String LONG = "Consider this. ".repeat(16_000);

  private static final int MORE_THAN_FIT = 20;

  /** More than the memory of a node in tests, and not more than a message may have. */
  private static final String TOO_LONG = "Consider this. ".repeat(66_600);

  @Inject TaskKit kit;

  @Test
  void runsWhoseModelsAnswerNeedNoMemoryForTheirConversations() {
    var gate = new Gate();
    var sessions =
        IntStream.range(0, MORE_THAN_FIT)
            .mapToObj(_ -> kit.session(model -> model.at(gate).says("considered")))
            .toList();

    sessions.forEach(session -> kit.say(session, LONG));
    gate.awaitArrivals(MORE_THAN_FIT);

    gate.open();
    sessions.forEach(session -> kit.awaitState(session, SessionState.IDLE));
  }

  @Test
  void runAboveTheMemoryOfTheNodeWaitsWithoutAWorker() {
    var gate = new Gate();
    var small = kit.session(model -> model.at(gate).says("considered"));
    kit.say(small, "Consider this.");
    gate.awaitArrivals(1);

    var waiting = kit.session(model -> model.says("considered"));
    kit.say(waiting, TOO_LONG);
    kit.awaitState(waiting, SessionState.WAITING);
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
    kit.awaitState(small, SessionState.IDLE);
    kit.awaitState(waiting, SessionState.IDLE);
    assertThat(result(task)).isEqualTo("gold");
    assertThat(kit.outline(waiting)).containsExactly("user", "assistant");
  }

  /** The endpoint fails, so that the request is made again of what the database contains. */
  @Test
  void repeatedCallSendsTheSameConversation() {
    var session =
        kit.session(model ->
            model
                .calls("todoread", Map.of())
                .fails(ModelException.Code.MODEL_UNAVAILABLE)
                .thenSays("considered"));

    kit.say(session, LONG);
    kit.awaitState(session, SessionState.IDLE);

    var requests = kit.requests(session);
    assertThat(requests).hasSize(3);
    assertThat(requests.get(2)).isEqualTo(requests.get(1));
    assertThat(requests.get(2).conversation().getFirst().text()).isEqualTo(LONG);
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
