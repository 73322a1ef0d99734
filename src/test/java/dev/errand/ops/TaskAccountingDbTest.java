package dev.errand.ops;

import static io.restassured.RestAssured.given;
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

/** What was accepted has ended or lives, and each end is accounted for. */
@QuarkusTest
class TaskAccountingDbTest implements Story {

  @Inject TaskKit kit;
  @Inject Jdbi jdbi;
  @Inject TaskAccounting conservation;

  @Test
  void booksBalanceWhileTasksLiveEndAndAreCancelled() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("wait", model -> model.at(gate).says("late"));
    kit.child("dig", model -> model.says("gold"));
    var waiting = kit.submit(parent, "wait");
    kit.submit(parent, "dig");
    gate.awaitArrivals(1);

    assertThat(conservation.balance().holds()).isTrue();
    assertThat(conservation.balance().live()).isPositive();

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
  void lostDeliveryIsNoticed() {
    var parent = parentOfAnEndedTask();

    assertThat(holdsAfter("delete from outbox where session_id = ?", parent)).isFalse();
  }

  @Test
  void lostTaskIsNoticed() {
    var parent = parentOfAnEndedTask();

    assertThat(holdsAfter("delete from task where parent_session_id = ?", parent)).isFalse();
  }

  private SessionId parentOfAnEndedTask() {
    var parent = kit.externalSession();
    kit.child("dig", model -> model.says("gold"));
    kit.submit(parent, "dig");
    kit.awaitRest(parent);
    return parent;
  }

  /** Nobody else sees it, and it is taken back. */
  private boolean holdsAfter(String damage, SessionId parent) {
    QuarkusTransaction.begin();
    try {
      jdbi.useHandle(handle -> handle.execute(damage, parent.value()));
      return conservation.balance().holds();
    } finally {
      QuarkusTransaction.rollback();
    }
  }
}
