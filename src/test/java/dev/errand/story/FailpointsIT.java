package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.SessionId;
import dev.errand.kit.Invariants;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ModelCall;
import dev.errand.postgres.Failpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The process dies after each commit on the path of one task. When it is started again, the task
 * has exactly one result, and its parent is notified once. The process that recovers from one crash
 * is the one that dies in the next case.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FailpointsIT {

  /** The first is passed when agents delegate, the others in long conversations. */
  private static final List<Failpoint> NOT_OF_A_SHORT_TASK =
      List.of(
          Failpoint.DELEGATED,
          Failpoint.RESULTS_STUBBED,
          Failpoint.SUMMARY_WRITTEN,
          Failpoint.SUMMARISED);

  private static final List<Case> CASES =
      Stream.concat(
              EnumSet.complementOf(EnumSet.copyOf(NOT_OF_A_SHORT_TASK)).stream()
                  .map(failpoint -> new Case(failpoint, Caller.CLIENT)),
              Stream.of(Failpoint.DELEGATED, Failpoint.RUN_ENDED)
                  .map(failpoint -> new Case(failpoint, Caller.AGENT)))
          .toList();

  /** The kind of caller that delegates. */
  private enum Caller {
    CLIENT,
    AGENT
  }

  /** One crash. */
  record Case(Failpoint failpoint, Caller caller) {}

  private final Path home;
  private final StubEndpoint endpoint;
  private final Service service;
  private final Map<String, String> environment = new HashMap<>();

  FailpointsIT(@TempDir Path home) throws IOException {
    this.home = home;
    endpoint = StubEndpoint.start(new OpenAiStub(), FailpointsIT::answer);
    environment.putAll(endpoint.environment());
    setFailpoint(CASES.getFirst().failpoint());
    service = Service.start(home.resolve("service"), environment);
  }

  static List<Case> cases() {
    return CASES;
  }

  @AfterAll
  void stop() throws Exception {
    service.close();
    endpoint.close();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void taskEndsOnceAndItsParentIsNotifiedOnceAfterACrash(Case crash) throws Exception {
    var kind = crash.caller() == Caller.CLIENT ? "external" : "hosted";
    var parent = service.post("/v1/sessions", Map.of("kind", kind), 201).get("id").asText();
    Files.createFile(armed());
    if (crash.caller() == Caller.CLIENT) {
      trySubmit(parent);
    } else {
      service.post("/v1/sessions/" + parent + "/messages", Map.of("text", "Delegate."), 202);
    }
    service.awaitDeath();

    Files.delete(armed());
    setFailpoint(next(crash).failpoint());
    service.startAgain();
    if (crash.caller() == Caller.CLIENT) {
      submit(parent);
    }
    SessionProbe.awaitRest(service, parent);

    check(parent, crash.caller());
  }

  private static Case next(Case crash) {
    return CASES.get((CASES.indexOf(crash) + 1) % CASES.size());
  }

  private void setFailpoint(Failpoint failpoint) {
    environment.put(
        "JAVA_TOOL_OPTIONS",
        "-Derrand.failpoint=%s -Derrand.failpoint.armed-by=%s".formatted(failpoint, armed()));
  }

  private Path armed() {
    return home.resolve("armed");
  }

  private void check(String parent, Caller caller) throws IOException {
    assertThat(SessionProbe.roles(service, parent))
        .containsExactly(
            caller == Caller.CLIENT
                ? new String[] {"user/notice"}
                : new String[] {"user", "assistant", "tool", "assistant"});
    var tasks = SessionProbe.tasks(service, parent);
    assertThat(tasks).hasSize(1);
    assertThat(tasks.getFirst().get("state").asText()).isEqualTo("completed");
    assertThat(SessionProbe.roles(service, tasks.getFirst().get("session_id").asText()))
        .containsExactly("user", "assistant", "tool", "assistant");
    assertThat(service.get("/v1/stats").at("/conservation/holds").asBoolean()).isTrue();
    var root = SessionId.parse(parent).orElseThrow();
    assertThat(Invariants.broken(service.database(), List.of(root))).isEmpty();
  }

  private void trySubmit(String parent) {
    try {
      submit(parent);
    } catch (UncheckedIOException exception) {
      assertThat(exception).isNotNull();
    }
  }

  private void submit(String parent) {
    service.post(
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
        "for " + parent);
  }

  private static Answer child(ModelCall call) {
    return call.isFirst() ? Answer.calls(Answer.call("list", Map.of())) : Answer.says("Done.");
  }

  private static Answer answer(ModelCall call) {
    if (!call.prompt().equals("Delegate.")) {
      return child(call);
    }
    return call.isFirst() ? Answer.calls(Answer.task("Do it.", false)) : Answer.says("It is done.");
  }
}
