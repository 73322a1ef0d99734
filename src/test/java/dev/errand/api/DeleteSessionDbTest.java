package dev.errand.api;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.errand.conversation.SessionId;
import dev.errand.kit.Gate;
import dev.errand.kit.Script;
import dev.errand.kit.TaskKit;
import dev.errand.session.Leases;
import dev.errand.session.SessionLocks;
import dev.errand.task.TaskCaller;
import dev.errand.task.TaskSchema;
import dev.errand.task.TaskSubmission;
import dev.errand.task.TaskSubmitter;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
class DeleteSessionDbTest {

  @Inject TaskKit kit;
  @Inject TaskSubmitter submitter;
  @Inject Leases leases;
  @Inject SessionLocks locks;

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
    var request = TaskSchema.read(fields.put("prompt", "dig").put("background", true));
    var submission =
        new TaskSubmission(parent, new TaskCaller.Client(null, Duration.ZERO, null), request);

    try (var thread = Executors.newSingleThreadExecutor()) {
      var deletion =
          QuarkusTransaction.requiringNew()
              .call(() -> {
                leases.waitForLocks();
                submitter.submit(submission, null);
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

  /** They are cancelled, and their parent is notified, before the child is deleted. */
  @Test
  void tasksThatAChildGetsDuringItsDeletionAreCancelled() throws Exception {
    var gate = new Gate();
    kit.children(_ -> new Script().at(gate).says("0").at(gate).says("1"));
    var parent = kit.externalSession();
    command(parent);
    gate.awaitArrivals(1);
    var child = kit.childOf(parent);

    try (var thread = Executors.newSingleThreadExecutor()) {
      var deletion =
          QuarkusTransaction.requiringNew()
              .call(() -> {
                leases.waitForLocks();
                locks.lock(parent); // the notice of the first task waits for this
                var deleting = thread.submit(() -> delete(child));
                kit.awaitEnd(kit.awaitTask(parent));
                command(parent);
                command(parent);
                return deleting;
              });
      deletion.get();
    }

    given().get("/v1/sessions/{id}", child.toString()).then().statusCode(404);
    kit.awaitRest(parent);
    assertThat(kit.transcript(parent))
        .hasSize(3)
        .allSatisfy(notice -> assertThat(notice.text()).contains("cancelled"));
  }

  private static void command(SessionId parent) {
    TaskKit.patiently(() ->
            given()
                .contentType("application/json")
                .header("Prefer", "wait=0")
                .body(Map.of("command", "task:skill:search --prompt search"))
                .post("/v1/sessions/{id}/commands", parent.toString()))
        .then()
        .statusCode(202);
  }

  private static void delete(SessionId session) {
    given().delete("/v1/sessions/{id}", session.toString()).then().statusCode(204);
  }
}
