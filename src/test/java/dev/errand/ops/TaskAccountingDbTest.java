package dev.errand.ops;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;

import dev.errand.conversation.SessionId;
import dev.errand.kit.Gate;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;

/** Every accepted task is live or has ended, and every ended task has its delivery. */
@QuarkusTest
class TaskAccountingDbTest implements Story {

  @Inject TaskKit kit;
  @Inject Jdbi jdbi;
  @Inject TaskAccounting accounting;

  @Test
  void accountingAddsUpWhileTasksAreLiveEndAndAreCancelled() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("wait", model -> model.at(gate).says("late"));
    kit.child("dig", model -> model.says("gold"));
    var waiting = kit.submit(parent, "wait");
    kit.submit(parent, "dig");
    gate.awaitArrivals(1);

    assertThat(accounting.balance().addsUp()).isTrue();
    assertThat(accounting.balance().live()).isPositive();

    given().post("/v1/tasks/{id}/cancel", waiting.toString()).then().statusCode(200);
    kit.awaitRest(parent);

    given()
        .get("/v1/stats")
        .then()
        .statusCode(200)
        .body("conservation.holds", equalTo(true))
        .body("conservation.balance.ended", greaterThanOrEqualTo(2));
  }

  @Test
  void missingDeliveryIsNoticed() {
    var parent = parentOfAnEndedTask();

    assertThat(addsUpAfter("delete from outbox where session_id = ?", parent)).isFalse();
  }

  @Test
  void missingTaskIsNoticed() {
    var parent = parentOfAnEndedTask();

    assertThat(addsUpAfter("delete from task where parent_session_id = ?", parent)).isFalse();
  }

  private SessionId parentOfAnEndedTask() {
    var parent = kit.externalSession();
    kit.child("dig", model -> model.says("gold"));
    kit.submit(parent, "dig");
    kit.awaitRest(parent);
    return parent;
  }

  /** The damage is rolled back and not visible to others. */
  private boolean addsUpAfter(String damage, SessionId parent) {
    QuarkusTransaction.begin();
    try {
      jdbi.useHandle(handle -> handle.execute(damage, parent.value()));
      return accounting.balance().addsUp();
    } finally {
      QuarkusTransaction.rollback();
    }
  }
}
