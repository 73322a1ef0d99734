package dev.errand.api;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.errand.conversation.SessionId;
import dev.errand.delegate.TaskArguments;
import dev.errand.kit.Gate;
import dev.errand.kit.TaskKit;
import dev.errand.session.Leases;
import dev.errand.task.TaskSubmission;
import dev.errand.task.TaskSubmitter;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
class DeleteSessionDbTest {

  @Inject TaskKit kit;
  @Inject TaskSubmitter submitter;
  @Inject TaskArguments arguments;
  @Inject Leases leases;

  @BeforeEach
  void begin() {
    kit.begin();
  }

  @Test
  void runningChildrenAreDeletedWithTheirParent() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("dig", model -> model.at(gate).says("gold"));
    var task = kit.submit(parent, "dig");
    gate.awaitArrivals(1);
    var child = kit.look(task).child();

    delete(parent);
    gate.awaitInterrupt();

    given().get("/v1/sessions/{id}", parent.toString()).then().statusCode(404);
    given().get("/v1/sessions/{id}", child.toString()).then().statusCode(404);
    given().get("/v1/tasks/{id}", task.toString()).then().statusCode(404);
  }

  @Test
  void deletingIsIdempotent() {
    var session = kit.externalSession();

    delete(session);
    delete(session);
    delete(SessionId.next());
  }

  @Test
  void taskThatIsAcceptedDuringTheDeletionIsDeleted() throws Exception {
    kit.child("dig", model -> model.says("gold"));
    var parent = kit.externalSession();
    var fields = JsonNodeFactory.instance.objectNode().put("description", "a task");
    var request = arguments.read(fields.put("prompt", "dig").put("background", true));
    var submission =
        new TaskSubmission(
            new TaskSubmission.Parent.Existing(parent), request, null, null, Duration.ZERO);

    try (var thread = Executors.newSingleThreadExecutor()) {
      var deletion =
          QuarkusTransaction.requiringNew()
              .call(() -> {
                leases.waitForLocks();
                submitter.submit(submission);
                var deleting = thread.submit(() -> delete(parent));
                await().until(leases::someWaitForLocks);
                return deleting;
              });
      deletion.get();
    }

    given().get("/v1/sessions/{id}", parent.toString()).then().statusCode(404);
    assertThat(kit.tasksOf(parent)).isEmpty();
  }

  @Test
  void parentOfADeletedChildIsNotified() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("dig", model -> model.at(gate).says("gold"));
    var task = kit.submit(parent, "dig");
    gate.awaitArrivals(1);

    delete(kit.look(task).child());
    kit.awaitRest(parent);

    assertThat(kit.outline(parent)).containsExactly("notice");
    assertThat(kit.transcript(parent).getFirst().text()).contains("cancelled");
  }

  /** The caller of a foreground task gets its result before the child can be deleted. */
  @Test
  void childWithAnUndeliveredResultIsNotDeleted() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("dig", model -> model.at(gate).says("gold"));
    var task = kit.submit(parent, "dig");
    gate.awaitArrivals(1);
    kit.tamper(
        "update task set hold_notice_until = now() + interval '1 hour' where id = ?", task.value());
    var child = kit.look(task).child();

    given()
        .delete("/v1/sessions/{id}", child.toString())
        .then()
        .statusCode(409)
        .contentType("application/problem+json")
        .body("detail", containsString("has not been delivered yet"));

    kit.tamper("update outbox set available_at = now() where task_id = ?", task.value());
    delete(child);
    assertThat(kit.outline(parent)).containsExactly("notice");
  }

  private static void delete(SessionId session) {
    given().delete("/v1/sessions/{id}", session.toString()).then().statusCode(204);
  }
}
