package dev.errand.story;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;

import dev.errand.conversation.SessionId;
import dev.errand.kit.Gate;
import dev.errand.kit.Script;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.session.SessionState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** After three wakes in succession, notices wait for the next user message. */
@QuarkusTest
class WakeBudgetDbTest implements Story {

  @Inject TaskKit kit;

  @BeforeEach
  void scriptChildren() {
    kit.children(prompt -> new Script().says("done: " + prompt));
  }

  @Test
  void fourthNoticeInSuccessionWaitsForTheNextUserMessage() {
    var root = wokenThreeTimes();

    var fourth = kit.submit(root, "four");
    kit.awaitDelivery(fourth);
    kit.awaitRest(root);

    assertThat(kit.outline(root)).isEqualTo(turns(3));
    assertThat(kit.look(root).state()).isEqualTo(SessionState.IDLE);

    kit.say(root, "Any news?");
    kit.awaitRest(root);

    assertThat(kit.outline(root).subList(6, 9)).containsExactly("notice", "user", "assistant");
    assertThat(kit.transcript(root).get(6).text()).contains("done: four");
  }

  @Test
  void userMessageResetsTheBudget() {
    var root = wokenThreeTimes();
    kit.say(root, "Continue.");
    kit.awaitRest(root);

    kit.submit(root, "four");
    kit.awaitRest(root);

    assertThat(kit.outline(root).subList(6, 10))
        .containsExactly("user", "assistant", "notice", "assistant");
  }

  @Test
  void waitForASessionDoesNotIncludeNoticesAboveTheBudget() {
    var root = wokenThreeTimes();
    var gate = new Gate();
    kit.script(root).at(gate).says("here");
    kit.tamper("update session set wakes = 3 where id = ?", root.value());
    kit.awaitDelivery(kit.submit(root, "four"));

    given().get("/v1/sessions/{id}", root.toString()).then().body("state", equalTo("idle"));
    gate.open();
    given()
        .contentType("application/json")
        .header("Prefer", "wait=10")
        .body(Map.of("text", "Any news?"))
        .post("/v1/sessions/{id}/messages", root.toString())
        .then()
        .statusCode(200)
        .body("session.state", equalTo("idle"));
  }

  @Test
  void noticeDuringTheLastModelCallUsesTheBudget() {
    var root = wokenThreeTimes();
    kit.tamper("update session set wakes = 2 where id = ?", root.value());
    var gate = new Gate();
    kit.script(root).at(gate).says("third").saysForever("I see");

    kit.submit(root, "four");
    gate.awaitArrivals(1);
    kit.awaitDelivery(kit.submit(root, "five"));
    gate.open();
    kit.awaitRest(root);

    assertThat(kit.outline(root)).isEqualTo(turns(4));
    assertThat(kit.transcript(root).getLast().text()).isEqualTo("third");
  }

  @Test
  void noticesThatArriveTogetherCauseOneWake() {
    var root = kit.session(model -> model.saysForever("I see"));
    var gate = new Gate();
    kit.script(root).at(gate).says("first").saysForever("I see");

    kit.submit(root, "one");
    gate.awaitArrivals(1);
    kit.awaitDelivery(kit.submit(root, "two"));
    kit.awaitDelivery(kit.submit(root, "three"));
    gate.open();
    kit.awaitRest(root);

    assertThat(kit.outline(root))
        .containsExactly("notice", "assistant", "notice", "notice", "assistant");
    assertThat(wakes(root)).isEqualTo(2);
  }

  private SessionId wokenThreeTimes() {
    var root = kit.session(model -> model.saysForever("I see"));
    for (var prompt : new String[] {"one", "two", "three"}) {
      kit.submit(root, prompt);
      kit.awaitRest(root);
    }
    assertThat(kit.outline(root)).isEqualTo(turns(3));
    assertThat(wakes(root)).isEqualTo(3);
    return root;
  }

  private static List<String> turns(int count) {
    return Collections.nCopies(count, List.of("notice", "assistant")).stream()
        .flatMap(List::stream)
        .toList();
  }

  private int wakes(SessionId session) {
    return kit.row("select wakes from session where id = '" + session.value() + "'", Integer.class);
  }
}
