package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.conversation.SessionId;
import dev.errand.kit.EventClient;
import dev.errand.kit.EventClient.Received;
import dev.errand.kit.Gate;
import dev.errand.kit.Http;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.session.SessionState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The events that the stream of a session contains about its own work and about delegated work. */
@QuarkusTest
class EventsDbTest implements Story {

  @Inject TaskKit kit;

  @Test
  void streamContainsABackgroundDelegationFromItsStartToTheAnswerOfTheParent() throws Exception {
    var gate = new Gate();
    var parent =
        kit.session(
            Map.of("origin", Map.of("channel", "chat", "chat_id", "7")),
            model -> model.callsTaskInBackground("dig").thenSays("wait").thenSays("booked"));
    kit.child("dig", model -> model.at(gate).says("dug"));

    kit.say(parent, "Dig.");
    kit.awaitState(parent, SessionState.IDLE);
    gate.open();
    kit.awaitRest(parent);

    var events = read(parent, "");
    assertThat(outline(events, "session."))
        .containsExactly(
            "queued",
            "running",
            "user",
            "assistant",
            "tool",
            "assistant",
            "idle",
            "queued",
            "running",
            "user",
            "assistant",
            "idle");
    assertThat(outline(events, "tool.")).containsExactly("tool.started", "tool.ended");
    assertThat(outline(events, "subagent."))
        .containsExactly("subagent.created", "subagent.started", "subagent.completed");
    assertThat(outline(events, "background_task."))
        .containsExactly("background_task.started", "background_task.completed");
    assertThat(outline(read(kit.childOf(parent), ""), "session."))
        .containsExactly("queued", "running", "user", "assistant", "idle");
    assertThat(outline(events, "model."))
        .containsExactly(
            "model.started",
            "model.ended",
            "model.started",
            "model.ended",
            "model.started",
            "model.ended");
    assertThat(reasons(events)).containsExactly("message", "finished", "notice", "finished");
    assertThat(outline(read(kit.childOf(parent), ""), "model."))
        .containsExactly("model.started", "model.ended");
    assertThat(read(parent, "?tree=true")).hasSize(events.size() + 7);
    var call = last(events, "tool.started").data();
    assertThat(call.get("message_seq").asInt()).isEqualTo(2);
    assertThat(call.get("index").asInt()).isZero();
    assertThat(call.get("title").asText()).isEqualTo("a task");
    var created = last(events, "subagent.created").data();
    assertThat(created.at("/parent_call/message_seq").asInt()).isEqualTo(2);
    assertThat(created.at("/parent_call/index").asInt(-1)).isZero();
    assertThat(created.get("model").asText()).isEqualTo(kit.tasksOf(parent).getFirst().model());
    assertThat(created.get("created_at").asText()).isNotEmpty();
    for (var type : List.of("subagent.completed", "background_task.completed")) {
      var end = last(events, type).data();
      assertThat(end.get("result").asText()).isEqualTo("dug");
      assertThat(end.get("result_length").asInt()).isEqualTo(3);
      assertThat(end.get("execution_time_ms").asLong())
          .isEqualTo(kit.tasksOf(parent).getFirst().runMs());
      assertThat(end.at("/usage/output_tokens").asInt()).isEqualTo(3);
    }
    var delivery = last(events, "delivery.delivered");
    assertThat(delivery.envelope().get("subject").asText())
        .isEqualTo(kit.tasksOf(parent).getFirst().id().toString());
    assertThat(delivery.data().get("delivery_id").asText()).startsWith("dlv_");
    assertThat(delivery.data().get("target").asText()).isEqualTo("session");
    assertThat(delivery.data().get("lag_ms").asLong()).isNotNegative();
    assertThat(last(events, "model.started").data().get("seq").asInt()).isEqualTo(6);
    var answer = last(events, "model.ended").data();
    assertThat(answer.get("seq").asInt()).isEqualTo(6);
    assertThat(answer.get("model").asText()).isEqualTo(kit.look(parent).model());
    assertThat(answer.get("attempt").asInt()).isEqualTo(1);
    assertThat(answer.get("ms").asLong()).isNotNegative();
    assertThat(answer.at("/usage/input_tokens").asInt()).isEqualTo(10);
    assertThat(answer.has("error")).isFalse();
  }

  @Test
  void endContainsTheBeginningOfALongResult() throws Exception {
    var parent = kit.externalSession();
    kit.child("dig", model -> model.says("x".repeat(1_999) + "\uD83D\uDE00 gold"));

    kit.submit(parent, "dig");
    kit.awaitRest(parent);

    var end = last(read(parent, ""), "subagent.completed").data();
    assertThat(end.get("result").asText()).isEqualTo("x".repeat(1_999));
    assertThat(end.get("result_length").asInt()).isEqualTo(2_006);
  }

  @Test
  void messagesSayWhoWroteThemAndWhichTaskTheyReport() {
    kit.child("dig", model -> model.says("dug"));
    var parent =
        kit.session(model -> model.callsTaskInBackground("dig").thenSays("wait").thenSays("good"));

    kit.say(parent, "Dig.");
    kit.awaitRest(parent);

    given()
        .get("/v1/sessions/{id}/messages", parent.toString())
        .then()
        .statusCode(200)
        .body("items[0].model", nullValue())
        .body("items[0].usage", nullValue())
        .body("items[1].model", is(kit.look(parent).model()))
        .body("items[1].usage.output_tokens", is(3))
        .body("items[1].started_at", notNullValue())
        .body("items[1].model_ms", notNullValue())
        .body("items[1].model_attempts", is(1))
        .body("items[1].delivery_id", nullValue())
        .body(
            "items.find { it.kind == 'notice' }.task_id",
            is(kit.tasksOf(parent).getFirst().id().toString()))
        .body(
            "items.find { it.kind == 'notice' }.delivery_id",
            is(
                given()
                    .get("/v1/deliveries")
                    .<String>path("items.find { it.session_id == '%s' }.id".formatted(parent))));
  }

  @Test
  void eventOfATaskContainsItsIdsAgentOriginAndUsage() throws Exception {
    var parent =
        kit.session(
            Map.of("origin", Map.of("channel", "chat", "chat_id", "7")),
            model -> model.callsTask("dig").thenSays("good"));
    kit.child("dig", model -> model.says("dug"));

    kit.say(parent, "Dig.");
    kit.awaitRest(parent);

    var events = read(parent, "");
    assertThat(outline(events, "subagent."))
        .containsExactly("subagent.created", "subagent.started", "subagent.completed");
    var end = last(events, "subagent.completed");
    var task = kit.tasksOf(parent).getFirst();
    var envelope = end.envelope();
    assertThat(envelope.get("specversion").asText()).isEqualTo("1.0");
    assertThat(envelope.get("id").asText()).matches("evt_[0-9a-f]{32}");
    assertThat(envelope.get("source").asText()).isEqualTo("/v1/sessions/" + parent);
    assertThat(envelope.get("type").asText()).isEqualTo("subagent.completed");
    assertThat(envelope.get("subject").asText()).isEqualTo(task.id().toString());
    assertThat(Instant.parse(envelope.get("time").asText())).isAfterOrEqualTo(task.createdAt());
    assertThat(end.data())
        .isEqualTo(
            JsonMapper.builder()
                .build()
                .readTree(
                    """
                    {"task_id": "%s", "session_id": "%s", "parent_session_id": "%s", "subagent_type": "general",
                     "description": "a task", "background": false, "state": "completed", "stop_reason": "end_turn",
                     "partial": false, "usage": {"input_tokens": 10, "cached_input_tokens": 0, "output_tokens": 3, "turns": 1, "tool_calls": 0, "cost": 0.00005},
                     "result": "dug", "result_length": 3, "execution_time_ms": %d,
                     "origin": {"channel": "chat", "chat_id": "7"}}
                    """
                        .formatted(task.id(), task.child(), parent, task.runMs())));
  }

  @Test
  void cancelledTaskIsReportedAsFailedAndAsCancelled() throws Exception {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("hang", model -> model.calls("list", Map.of()).at(gate).says("never"));
    var task = kit.submit(parent, "hang");
    gate.awaitArrivals(1);

    kit.cancel(task);
    kit.awaitRest(parent);

    var events = read(parent, "?tree=true");
    assertThat(last(events, "subagent.failed").data().get("state").asText()).isEqualTo("cancelled");
    assertThat(last(events, "background_task.cancelled").data().at("/error/code").asText())
        .isEqualTo("cancelled");
    assertThat(outline(events, "tool.")).containsExactly("tool.started", "tool.ended");
  }

  @Test
  void eventOfALongMessageOmitsItsContent() throws Exception {
    var parent = kit.session(model -> model.says("x".repeat(9_000)).thenSays("short"));

    kit.say(parent, "Speak.");
    kit.awaitRest(parent);
    kit.say(parent, "Shorter.");
    kit.awaitRest(parent);

    var events =
        read(parent, "").stream().filter(event -> event.type().equals("session.message")).toList();
    assertThat(events.get(1).data().has("content")).isFalse();
    assertThat(events.get(1).data().get("truncated").asBoolean()).isTrue();
    assertThat(events.get(3).data().at("/content/0/text").asText()).isEqualTo("short");
    assertThat(events.get(3).data().has("truncated")).isFalse();
    assertThat(events.get(3).data().get("seq").asInt()).isEqualTo(4);
  }

  @Test
  void progressIsReportedAtMostOncePerSecond() throws Exception {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child(
        "walk",
        model -> {
          lists(model, 10);
          model.at(gate).calls("list", Map.of());
          model.says("done");
        });
    kit.submit(parent, "walk");
    gate.awaitArrivals(1);

    var first = progress(parent);
    kit.tamper("update task set progress_at = progress_at - interval '1 second'");
    gate.open();
    kit.awaitRest(parent);

    assertThat(first).isNotEmpty();
    // An event is written a little after the row says when, so single distances may be shorter.
    var startedAt = Objects.requireNonNull(kit.tasksOf(parent).getFirst().startedAt());
    assertThat(startedAt.plusSeconds(first.size() - 1L)).isBefore(time(first.getLast()));
    var more = progress(parent);
    assertThat(more).hasSizeGreaterThan(first.size());
    assertThat(more.getLast().data().has("result")).isFalse();
    assertThat(more.getLast().data().get("last_tool").asText()).isEqualTo("list");
    assertThat(more.getLast().data().at("/usage/turns").asInt()).isGreaterThanOrEqualTo(11);
  }

  private static void lists(Script model, int times) {
    for (int call = 0; call < times; call++) {
      // Never the same call twice in a row, which would end the run.
      model.calls(Call.of("list", call % 2 == 0 ? Map.of() : Map.of("path", ".")));
    }
  }

  private List<Received> progress(SessionId parent) throws InterruptedException {
    return read(parent, "").stream()
        .filter(event -> event.type().equals("background_task.progress"))
        .toList();
  }

  /** Reads all events so far. */
  private List<Received> read(SessionId session, String query) throws InterruptedException {
    var newest =
        kit.row(
            """
            select max(number) from event
            where root_id = (select root_id from session where id = '%1$s') and ('%2$s' <> '' or session_id = '%1$s')
            """
                .formatted(session.value(), query),
            Long.class);
    var stream = Http.uri("/v1/sessions/" + session + "/events" + query);
    try (var client = EventClient.follow(stream)) {
      await()
          .until(() -> !client.received().isEmpty() && client.received().getLast().id() >= newest);
      return client.received();
    }
  }

  private static Received last(List<Received> events, String type) {
    return events.reversed().stream()
        .filter(event -> event.type().equals(type))
        .findFirst()
        .orElseThrow();
  }

  /** Why the session was in its states, while no worker drove it. */
  private static List<String> reasons(List<Received> events) {
    return events.stream()
        .filter(event -> event.type().equals("session.state") && event.data().has("reason"))
        .map(event -> event.data().get("reason").asText())
        .toList();
  }

  private static Instant time(Received event) {
    return Instant.parse(event.envelope().get("time").asText());
  }

  /** A summary of the events of one kind: the state, the role of the message, or else the type. */
  private static List<String> outline(List<Received> events, String kind) {
    return events.stream()
        .filter(event -> event.type().startsWith(kind))
        .map(event ->
            switch (event.type()) {
              case "session.state" -> event.data().get("state").asText();
              case "session.message" -> event.data().get("role").asText();
              default -> event.type();
            })
        .toList();
  }
}
