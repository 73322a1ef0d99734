package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.SessionId;
import dev.errand.kit.Invariants;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.Asked;
import dev.errand.postgres.Failpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The process dies behind each commit on the way of one task: when it is started again, there is
 * exactly one result, and its parent is told once (R12).
 */
class FailpointsIT {

  private static final String CHEAP_START = "-XX:TieredStopAtLevel=1";

  @TempDir Path home;

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DELEGATED")
  void taskFromOutsideIsDoneAndToldOnceWhereverTheProcessDies(Failpoint place) throws Exception {
    var environment = new HashMap<String, String>();
    try (var endpoint = StubEndpoint.start(new OpenAiStub(), FailpointsIT::child)) {
      environment.putAll(endpoint.environment());
      environment.put("JAVA_TOOL_OPTIONS", CHEAP_START + " -Derrand.failpoint=" + place);
      try (var service = Service.start(home, environment)) {
        var parent = service.post("/v1/sessions", Map.of("kind", "external"), 201);
        var id = parent.get("id").asText();
        submitMaybe(service, id);
        service.awaitDeath();

        environment.put("JAVA_TOOL_OPTIONS", CHEAP_START);
        service.startAgain();
        submit(service, id);
        Rest.await(service, id);

        assertThat(Rest.roles(service, id)).containsExactly("user/notice");
        check(service, id);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"DELEGATED", "RUN_ENDED"})
  void delegationByAnAgentIsMadeOnceWhereverTheProcessDies(Failpoint place) throws Exception {
    var environment = new HashMap<String, String>();
    try (var endpoint = StubEndpoint.start(new OpenAiStub(), FailpointsIT::parent)) {
      environment.putAll(endpoint.environment());
      environment.put("JAVA_TOOL_OPTIONS", CHEAP_START + " -Derrand.failpoint=" + place);
      try (var service = Service.start(home, environment)) {
        var id = service.post("/v1/sessions", Map.of(), 201).get("id").asText();
        service.post("/v1/sessions/" + id + "/messages", Map.of("text", "Delegate."), 202);
        service.awaitDeath();

        environment.put("JAVA_TOOL_OPTIONS", CHEAP_START);
        service.startAgain();
        Rest.await(service, id);

        assertThat(Rest.roles(service, id))
            .containsExactly("user", "assistant", "tool", "assistant");
        check(service, id);
      }
    }
  }

  private static void check(Service service, String parent) throws IOException {
    var tasks = Rest.tasks(service, parent);
    assertThat(tasks).hasSize(1);
    assertThat(tasks.getFirst().get("state").asText()).isEqualTo("completed");
    assertThat(Rest.roles(service, tasks.getFirst().get("session_id").asText()))
        .containsExactly("user", "assistant", "tool", "assistant");
    assertThat(service.get("/v1/stats").at("/conservation/holds").asBoolean()).isTrue();
    var root = SessionId.parse(parent).orElseThrow();
    assertThat(Invariants.broken(service.database(), List.of(root))).isEmpty();
  }

  private static void submitMaybe(Service service, String parent) {
    try {
      submit(service, parent);
    } catch (UncheckedIOException died) {
      assertThat(died).isNotNull();
    }
  }

  private static JsonNode submit(Service service, String parent) {
    return service.post(
        "/v1/tasks",
        Map.of(
            "parent_session_id",
            parent,
            "description",
            "one task",
            "prompt",
            "Do it.",
            "background",
            true),
        202,
        "Idempotency-Key",
        "the-one");
  }

  private static Answer child(Asked asked) {
    return asked.isFirst() ? Answer.calls(Answer.call("list", Map.of())) : Answer.says("Done.");
  }

  private static Answer parent(Asked asked) {
    if (!asked.prompt().equals("Delegate.")) {
      return child(asked);
    }
    return asked.isFirst()
        ? Answer.calls(Answer.task("Do it.", false))
        : Answer.says("It is done.");
  }
}
