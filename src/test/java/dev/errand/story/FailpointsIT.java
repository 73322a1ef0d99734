package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.SessionId;
import dev.errand.kit.Invariants;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Rare;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ModelCall;
import dev.errand.postgres.Failpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The process dies after each commit on the path of one task, and at each step of a summary. When
 * it is started again, the task has exactly one result, and its parent is notified once; nothing is
 * lost of a conversation. The process that recovers from one crash is the one that dies in the next
 * case.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FailpointsIT {

  private static final List<Failpoint> OF_LONG_CONVERSATIONS =
      List.of(Failpoint.RESULTS_STUBBED, Failpoint.SUMMARY_WRITTEN, Failpoint.SUMMARISED);

  /** Much like other cases. */
  private static final Set<Case> RARE =
      Set.of(
          new Case(Failpoint.RUN_ENDED, Caller.AGENT),
          new Case(Failpoint.RESULTS_STUBBED, Caller.USER),
          new Case(Failpoint.SUMMARISED, Caller.USER));

  private static final List<Case> CASES =
      Stream.of(
              EnumSet.range(Failpoint.SUBMITTED, Failpoint.RELAYED).stream()
                  .filter(failpoint -> failpoint != Failpoint.DELEGATED)
                  .filter(failpoint -> !OF_LONG_CONVERSATIONS.contains(failpoint))
                  .map(failpoint -> new Case(failpoint, Caller.CLIENT)),
              Stream.of(Failpoint.DELEGATED, Failpoint.RUN_ENDED)
                  .map(failpoint -> new Case(failpoint, Caller.AGENT)),
              OF_LONG_CONVERSATIONS.stream().map(failpoint -> new Case(failpoint, Caller.USER)))
          .flatMap(cases -> cases)
          .filter(crash -> Rare.ALSO || !RARE.contains(crash))
          .toList();

  /** A window that is almost full after two long turns. */
  private static final String SMALL_WINDOW =
      " -Derrand.model-aliases.stub=%s -Derrand.models.context-tokens.stub=40000"
          .formatted(new OpenAiStub().model());

  private static final String READ = "Read at length.";
  private static final String BOOK = ("x".repeat(99) + "\n").repeat(300);

  /** Who delegates; a user only talks to an agent, for so long that it needs a summary. */
  private enum Caller {
    CLIENT,
    AGENT,
    USER
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
    var prices =
        Files.writeString(home.resolve("prices.yaml"), "\"openai:*\": {input: 1, output: 4}\n");
    environment.put("ERRAND_PRICES_FILE", prices.toString());
    setFailpoint(CASES.getFirst(), false);
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
    var body = Map.of("kind", kind, "workspace", workspace());
    var parent = service.post("/v1/sessions", body, 201).get("id").asText();
    Files.createFile(armed());
    switch (crash.caller()) {
      case CLIENT -> Service.mayEndDuring(() -> submit(parent));
      case AGENT -> say(parent, "Delegate.");
      case USER -> say(parent, READ);
    }
    service.awaitDeath();

    Files.delete(armed());
    setFailpoint(next(crash), crash.caller() == Caller.USER);
    service.startAgain();
    if (crash.caller() == Caller.CLIENT) {
      submit(parent);
    }
    SessionProbe.awaitRest(service, parent);

    checkUsage();
    if (crash.caller() == Caller.USER) {
      checkSummary(parent);
    } else {
      check(parent, crash.caller());
    }
  }

  private String workspace() throws IOException {
    var books = Files.createDirectories(home.resolve("books"));
    Files.writeString(books.resolve("book.txt"), BOOK);
    return books.toString();
  }

  /** The run that the message starts may end the process before the answer is sent. */
  private void say(String session, String text) {
    Service.mayEndDuring(
        () -> service.post("/v1/sessions/" + session + "/messages", Map.of("text", text), 202));
  }

  private static Case next(Case crash) {
    return CASES.get((CASES.indexOf(crash) + 1) % CASES.size());
  }

  /**
   * @param isLong whether a long conversation continues after the start
   */
  private void setFailpoint(Case crash, boolean isLong) {
    var failpoint =
        "-Derrand.failpoint=%s -Derrand.failpoint.armed-by=%s"
            .formatted(crash.failpoint(), armed());
    environment.put(
        "JAVA_TOOL_OPTIONS",
        isLong || crash.caller() == Caller.USER ? failpoint + SMALL_WINDOW : failpoint);
  }

  private Path armed() {
    return home.resolve("armed");
  }

  private void checkSummary(String session) throws IOException {
    var messages = SessionProbe.messages(service, session);
    assertThat(SessionProbe.roles(service, session))
        .containsExactly("user", "assistant", "tool", "assistant", "tool", "system", "assistant");
    assertThat(messages.get(5).at("/covers/from_seq").asLong()).isEqualTo(2);
    assertThat(messages.get(5).at("/covers/to_seq").asLong()).isEqualTo(3);
    assertThat(messages.get(2).at("/content/0/text").asText()).hasSizeGreaterThan(BOOK.length());
    assertThat(endpoint.errors()).isEmpty();
    var root = SessionId.parse(session).orElseThrow();
    assertThat(Invariants.broken(service.database(), List.of(root))).isEmpty();
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

  /** What was answered and not saved counts nowhere, and what was saved counts once. */
  private void checkUsage() throws IOException {
    var sums =
        service
            .database()
            .withHandle(handle ->
                handle
                    .createQuery(
                        """
                        select concat_ws(' ', sum(tokens), sum(cached_tokens), sum(cost)) from tenant_day
                        union all
                        select concat_ws(' ', sum(tokens), sum(cached_tokens), sum(cost)) from tree
                        union all
                        select concat_ws(' ', sum(input_tokens - cached_input_tokens + output_tokens), sum(cached_input_tokens),
                                         sum(cost)) from message
                        """)
                    .mapTo(String.class)
                    .list());
    assertThat(Set.copyOf(sums)).as("%s", sums).hasSize(1);
    assertThat(sums.getFirst()).matches("[1-9]\\d* \\d+ [1-9]\\d*");
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

  /** Two long turns, then a summary, then the answer. */
  private static Answer reader(ModelCall call) {
    return call.prompt().contains("<conversation_summary>")
        ? Answer.says("It is read.")
        : new Answer(
            "I read. ".repeat(6000),
            List.of(Answer.call("read", Map.of("file_path", "book.txt"))),
            false);
  }

  private static Answer answer(ModelCall call) {
    if (call.prompt().startsWith("<conversation>")) {
      return Answer.says("What was read.");
    }
    if (call.prompt().startsWith(READ)) {
      return reader(call);
    }
    if (!call.prompt().equals("Delegate.")) {
      return child(call);
    }
    return call.isFirst() ? Answer.calls(Answer.task("Do it.", false)) : Answer.says("It is done.");
  }
}
