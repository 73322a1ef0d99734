package dev.errand.api;

import static dev.errand.kit.Http.given;
import static dev.errand.kit.WebhookReceiver.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.everyItem;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.delivery.outgoing.OutgoingRelay;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WebhookReceiver;
import dev.errand.outbox.DeliveryState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The deliveries that operators see, and dead letters. */
@QuarkusTest
class DeliveriesDbTest implements Story {

  @Inject TaskKit kit;
  @Inject OutgoingRelay relay;

  private final WebhookReceiver receiver = new WebhookReceiver();

  @AfterEach
  void close() {
    receiver.close();
  }

  @Test
  void deadLetterIsShownWithItsReason() {
    var task = dead(500);

    given()
        .get("/v1/deliveries?state=dead&task_id={task}", task.toString())
        .then()
        .statusCode(200)
        .body("items.size()", is(1))
        .body("next_cursor", nullValue())
        .body("items[0].id", startsWith("dlv_"))
        .body("items[0].task_id", is(task.toString()))
        .body("items[0].session_id", is(kit.look(task).parent().toString()))
        .body("items[0].kind", is("notice"))
        .body("items[0].target", is("webhook"))
        .body("items[0].state", is("dead"))
        .body("items[0].attempts", is(5))
        .body("items[0].next_attempt_at", nullValue())
        .body("items[0].dead_at", notNullValue())
        .body("items[0].delivered_at", nullValue())
        .body("items[0].last_error", is("HTTP 500"));
  }

  @Test
  void deliveryLeadsToItsTaskAndItsSession() {
    var task = dead(500);
    var id = delivery(task);

    given()
        .get("/v1/deliveries/{id}", id)
        .then()
        .statusCode(200)
        .body("id", is(id), "task_id", is(task.toString()), "state", is("dead"))
        .body("session_id", is(kit.look(task).parent().toString()));
  }

  @Test
  void retriedDeadLetterKeepsItsId() {
    var task = dead(500);
    var posts = receiver.posts();
    receiver.answers(status(200));

    retry(delivery(task)).statusCode(200).body("state", is("pending")).body("attempts", is(0));
    kit.awaitDelivery(task);

    var again = receiver.posts().getLast();
    assertThat(again.header("webhook-id")).isEqualTo(posts.getFirst().header("webhook-id"));
    assertThat(receiver.posts()).hasSize(posts.size() + 1);
  }

  @Test
  void retryEnablesADisabledCallback() {
    var task = dead(410);
    var parent = kit.look(task).parent();
    assertThat(callbackState(parent)).isEqualTo("disabled");
    receiver.answers(status(200));

    retry(delivery(task)).statusCode(200);
    kit.awaitDelivery(task);

    assertThat(callbackState(parent)).isEqualTo("active");
    assertThat(receiver.posts()).hasSize(2);
  }

  @Test
  void dismissedDeadLetterIsSuppressed() {
    var id = delivery(dead(500));

    dismiss(id).statusCode(200).body("state", is("suppressed"));
    dismiss(id).statusCode(200).body("state", is("suppressed"));
    retry(id).statusCode(409).body("detail", containsString("suppressed"));
  }

  @Test
  void onlyDeadDeliveriesAreRetriedOrDismissed() {
    var parent = kit.externalSession();
    kit.child("dig", model -> model.says("gold"));
    var task = kit.submit(parent, "dig");
    kit.awaitDelivery(task);

    retry(delivery(task))
        .statusCode(409)
        .contentType("application/problem+json")
        .body("detail", containsString("delivered"));
    dismiss(delivery(task)).statusCode(409).body("detail", containsString("delivered"));
  }

  @Test
  void listIsPagedAndFiltered() {
    var parent = kit.externalSession();
    for (var prompt : new String[] {"one", "two", "three"}) {
      kit.child(prompt, model -> model.says(prompt));
      kit.awaitDelivery(kit.submit(parent, prompt));
    }

    var first =
        given()
            .get("/v1/deliveries?session_id={id}&limit=2", parent.toString())
            .then()
            .statusCode(200)
            .body("items.size()", is(2))
            .body("items.target", everyItem(is("session")))
            .extract();
    given()
        .get(
            "/v1/deliveries?session_id={id}&limit=2&cursor={cursor}",
            parent.toString(),
            first.<String>path("next_cursor"))
        .then()
        .statusCode(200)
        .body("items.size()", is(1))
        .body("next_cursor", nullValue());
    given()
        .get("/v1/deliveries?session_id={id}&state=dead", parent.toString())
        .then()
        .body("items.size()", is(0));
  }

  @ParameterizedTest
  @CsvSource({
    "state, lost",
    "session_id, x",
    "task_id, x",
    "cursor, x",
    "limit, 0",
    "limit, 201",
    "limit, ten"
  })
  void wrongParameterIsNamed(String name, String value) {
    given()
        .queryParam(name, value)
        .get("/v1/deliveries")
        .then()
        .statusCode(400)
        .body("errors[0].field", is(name));
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "dlv_", "dlv_00000000000000000000000000000000"})
  void unknownDeliveryIsNotFound(String id) {
    retry(id).statusCode(404).contentType("application/problem+json");
    dismiss(id).statusCode(404);
    given().get("/v1/deliveries/{id}", id).then().statusCode(404);
  }

  private TaskId dead(int status) {
    receiver.answers(status(status));
    var parent = kit.externalSession(Map.of("callback", Map.of("url", receiver.url())));
    kit.child("dig", model -> model.says("gold"));
    var task = kit.submit(parent, "dig");
    await()
        .until(() -> {
          relay.runDue();
          return kit.look(task).delivery().filter(DeliveryState.DEAD::equals).isPresent();
        });
    return task;
  }

  private static String delivery(TaskId task) {
    return given().get("/v1/deliveries?task_id={task}", task.toString()).path("items[0].id");
  }

  private static HttpAnswer retry(String id) {
    return given().post("/v1/deliveries/{id}/retry", id).then();
  }

  private static HttpAnswer dismiss(String id) {
    return given().post("/v1/deliveries/{id}/dismiss", id).then();
  }

  private static String callbackState(SessionId parent) {
    return given().get("/v1/sessions/{id}", parent.toString()).path("callback.state");
  }
}
