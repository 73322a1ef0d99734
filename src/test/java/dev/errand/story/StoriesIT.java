package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.kit.AnthropicStub;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Rare;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ModelCall;
import dev.errand.kit.StubWire;
import dev.errand.kit.Turn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Complete stories with the packaged service, over the wire formats of two providers; also with a
 * model that is away or refuses long requests: every result is heard, and nothing is lost of a
 * conversation.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StoriesIT {

  private static final String QUESTION = "Where is the needle?";
  private static final String PROMPT = "Find the needle.";
  private static final String TRACEPARENT =
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final int BOOKS = 60;
  private static final int BOOK_BYTES = 40_000;

  private final TroubledModel troubled = new TroubledModel();
  private final Path home;
  private final StubEndpoint openAi;
  private final StubEndpoint anthropic;
  private final Service service;

  StoriesIT(@TempDir Path home) throws IOException {
    this.home = home;
    openAi = endpoint(new OpenAiStub());
    anthropic = endpoint(new AnthropicStub());
    var environment = new HashMap<>(anthropic.environment());
    environment.putAll(openAi.environment());
    environment.put("ERRAND_TOOLS_BASH", "enabled");
    environment.put("ERRAND_MODEL_RETRY_LONGEST_DELAY", "2s");
    service = Service.start(home.resolve("service"), environment);
  }

  private StubEndpoint endpoint(StubWire wire) throws IOException {
    var delegated = new CountDownLatch(1);
    return StubEndpoint.start(wire, call -> answer(call, delegated));
  }

  @AfterEach
  void endOutage() {
    troubled.away = false;
  }

  @AfterAll
  void stop() throws Exception {
    service.close();
    openAi.close();
    anthropic.close();
  }

  @Test
  void primaryOfOpenAiAnswersAfterTheNoticeOfItsBackgroundTask(@TempDir Path workspace)
      throws Exception {
    search(openAi, new OpenAiStub(), workspace);
  }

  @Test
  void primaryOfAnthropicAnswersAfterTheNoticeOfItsBackgroundTask(@TempDir Path workspace)
      throws Exception {
    search(anthropic, new AnthropicStub(), workspace);
  }

  /** Delegation, search, notice, answer. */
  private void search(StubEndpoint endpoint, StubWire wire, Path workspace) throws IOException {
    Files.createDirectories(workspace.resolve("src"));
    Files.writeString(workspace.resolve("src/hay.txt"), "hay\nneedle here\nhay\n");
    Files.writeString(workspace.resolve("README.md"), "Nothing but hay.\n");

    var session = open(Map.of("workspace", workspace.toString(), "model", wire.model()));
    say(session, QUESTION);
    SessionProbe.awaitRest(service, session);

    var last = calls(endpoint, QUESTION).getLast();
    var child = calls(endpoint, PROMPT);
    assertThat(endpoint.errors()).isEmpty();
    assertThat(last.notices()).hasSize(1);
    assertThat(last.last().text()).contains("src/hay.txt:2");
    assertThat(child).hasSize(2);
    assertThat(child.getFirst().tools()).contains("grep", "read").doesNotContain("task", "write");
    assertThat(results(child.getLast()).toString()).contains("needle here", "src/hay.txt");
    assertThat(SessionProbe.roles(service, session))
        .startsWith("user", "assistant", "tool")
        .endsWith("user/notice", "assistant")
        .containsOnlyOnce("user/notice");
    assertThat(SessionProbe.lastText(service, session)).isEqualTo("It is in src/hay.txt, line 2.");
  }

  /**
   * A child works on a small project with real tools: it searches, reads, runs the tests in the
   * sandbox, fixes the bug, runs the tests again and reports; its parent continues with the report.
   */
  @Test
  void childFixesASmallProjectAndItsParentReportsIt(@TempDir Path workspace) throws Exception {
    Files.writeString(workspace.resolve("Discount.java"), CodingModel.CODE);
    Files.writeString(workspace.resolve("DiscountTest.java"), CodingModel.TEST);

    var session = open(Map.of("workspace", workspace.toString()));
    say(session, CodingModel.QUESTION);
    SessionProbe.awaitRest(service, session);

    assertThat(openAi.errors()).isEmpty();
    assertThat(results(calls(openAi, CodingModel.PROMPT).getLast()))
        .satisfiesExactly(
            found -> assertThat(found).contains("Discount.java"),
            read -> assertThat(read).contains("percent / 10"),
            failed ->
                assertThat(failed).contains("FAILED: 20 % off 1000 gave -1000", "exit code 1"),
            edited -> assertThat(edited).contains("Discount.java"),
            passed -> assertThat(passed).contains("all tests passed"));
    assertThat(workspace.resolve("Discount.java")).content().contains("percent / 100");
    assertThat(SessionProbe.roles(service, session)).containsOnlyOnce("user/notice");
    assertThat(SessionProbe.lastText(service, session)).isEqualTo("Fixed: the tests pass.");
  }

  @Test
  void serviceWithoutACollectorTracesNothing() throws Exception {
    var parent = open(Map.of());
    var task =
        Map.of(
            "parent_session_id",
            parent,
            "description",
            "a task",
            "prompt",
            "Do it.",
            "background",
            true);
    service.post("/v1/tasks", task, 202, "traceparent", TRACEPARENT);
    SessionProbe.awaitRest(service, parent);

    assertThat(calls(openAi, "Do it.")).isNotEmpty();
    assertThat(openAi.headers("traceparent")).isEmpty();
    assertThat(traceParents()).isEmpty();
    assertThat(service.logged()).noneMatch(line -> line.contains("Failed to export"));
  }

  @Test
  void everythingContinuesAfterAnOutageOfTheModel() throws Exception {
    var root = open(Map.of("limits", Map.of("max_background_tasks", TroubledModel.CHILDREN)));
    say(root, "Send them.");
    troubled.childrenCalled.await();
    // One of them makes a call from time to time, and the hasty one may have ended.
    await("all wait").atMost(TIMEOUT).until(() -> waiting(root) >= TroubledModel.CHILDREN - 2);
    var threads = threads();
    var since = System.nanoTime();
    var before = troubled.refused.get();
    await("four more calls are refused")
        .atMost(TIMEOUT)
        .until(() -> troubled.refused.get() >= before + 4);
    assertThat(Duration.ofNanos(System.nanoTime() - since)).isGreaterThan(Duration.ofSeconds(2));
    assertThat(threads() - threads).isLessThan(TroubledModel.CHILDREN / 4);

    var hasty = tasks(root, "timeout_ms", "" + TroubledModel.HASTE).getFirst().get("id").asText();
    var timedOut = service.get("/v1/tasks/" + hasty + "?wait_ms=60000");
    troubled.away = false;
    SessionProbe.awaitRest(service, root);

    assertThat(timedOut.get("state").asText()).isEqualTo("timed_out");
    assertThat(timedOut.get("run_ms").asLong()).isGreaterThanOrEqualTo(TroubledModel.HASTE);
    assertThat(tasks(root, "state", "completed"))
        .hasSize(TroubledModel.CHILDREN - 1)
        .allSatisfy(task -> assertThat(task.get("attempts").asInt()).isEqualTo(1));
    assertThat(notices(root))
        .hasSize(TroubledModel.CHILDREN)
        .anyMatch(text -> text.contains("timed_out"));
    assertThat(openAi.errors()).isEmpty();
  }

  private long waiting(String root) {
    return service.items("/v1/sessions?root_id=" + root + "&state=waiting", "cursor").size();
  }

  private double threads() {
    return service
        .text("/q/metrics")
        .lines()
        .filter(line -> line.startsWith("jvm_threads_live_threads"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .findFirst()
        .orElseThrow();
  }

  @Test
  @Rare
  void longConversationContinuesAndKeepsWhatWasSaidAlsoAfterAKillDuringItsSummary()
      throws Exception {
    var root = open(Map.of("workspace", library().toString()));

    readOn(root, 20, "Remember the word heliotrope-7, and read the first books.");
    readOn(root, 40, "The other word is obsidian-4. Read on.");
    readOn(root, BOOKS, "Read the rest.");
    say(root, "Which words did I name?");
    SessionProbe.awaitRest(service, root);

    assertThat(troubled.summaryAsked.getCount()).isZero();
    assertThat(troubled.tooLong.get()).isPositive();
    assertThat(SessionProbe.lastText(service, root)).isEqualTo("heliotrope-7 obsidian-4");
    assertThat(get(root).get("last_error").isNull()).isTrue();
    assertThat(SessionProbe.messages(service, root))
        .filteredOn(message -> message.get("role").asText().equals("tool"))
        .hasSize(BOOKS)
        .allSatisfy(
            message -> assertThat(SessionProbe.text(message)).hasSizeGreaterThan(BOOK_BYTES));
  }

  private void readOn(String root, int until, String text) throws Exception {
    troubled.readUntil = until;
    say(root, text);
    await("it is read, or a summary is asked for")
        .atMost(TIMEOUT)
        .until(() ->
            troubled.read.get() == until && get(root).get("state").asText().equals("idle")
                || (troubled.summaryAsked.getCount() == 0 && troubled.killed.getCount() == 1));
    if (troubled.summaryAsked.getCount() == 0 && troubled.killed.getCount() == 1) {
      service.kill();
      troubled.killed.countDown();
      service.startAgain();
    }
    SessionProbe.awaitRest(service, root);
  }

  private Path library() throws IOException {
    var library = Files.createDirectories(home.resolve("library"));
    for (int book = 0; book < BOOKS; book++) {
      var line = "Book %d. ".formatted(book) + "x".repeat(90) + "\n";
      Files.writeString(
          library.resolve("book" + book + ".txt"), line.repeat(BOOK_BYTES / line.length() + 1));
    }
    return library;
  }

  private String open(Map<String, ?> body) {
    return service.post("/v1/sessions", body, 201).get("id").asText();
  }

  private void say(String session, String text) {
    service.post("/v1/sessions/" + session + "/messages", Map.of("text", text), 202);
  }

  private JsonNode get(String session) {
    return service.get("/v1/sessions/" + session);
  }

  private List<String> notices(String session) {
    return SessionProbe.messages(service, session).stream()
        .filter(message -> message.get("kind").asText().equals("notice"))
        .map(SessionProbe::text)
        .toList();
  }

  private List<JsonNode> tasks(String session, String field, String value) {
    return SessionProbe.tasks(service, session).stream()
        .filter(task -> task.get(field).asText().equals(value))
        .toList();
  }

  private List<String> traceParents() throws IOException {
    return service
        .database()
        .withHandle(handle ->
            handle
                .createQuery(
                    """
                    select trace_parent from task where trace_parent is not null
                    union all select trace_parent from session where trace_parent is not null
                    union all select trace_parent from inbox where trace_parent is not null
                    """)
                .mapTo(String.class)
                .list());
  }

  private static List<ModelCall> calls(StubEndpoint endpoint, String prompt) {
    return endpoint.calls().stream().filter(call -> call.prompt().equals(prompt)).toList();
  }

  /** The results of tools in a request, oldest first. */
  private static List<String> results(ModelCall call) {
    return call.turns().stream().filter(turn -> !turn.answers().isEmpty()).map(Turn::text).toList();
  }

  /**
   * Answers as the prompt says.
   *
   * @param delegated the primary agent knows that its task is accepted
   */
  private Answer answer(ModelCall call, CountDownLatch delegated) throws InterruptedException {
    return switch (call.prompt()) {
      case QUESTION -> primary(call, delegated);
      case PROMPT -> child(call, delegated);
      case CodingModel.QUESTION, CodingModel.PROMPT -> CodingModel.answer(call);
      case "Do it." -> Answer.says("Done.");
      // The parent of the task without a trace is told of its end.
      default ->
          call.prompt().startsWith("<notice-") ? Answer.says("I see.") : troubled.answer(call);
    };
  }

  private static Answer primary(ModelCall call, CountDownLatch delegated) {
    if (call.isFirst()) {
      return Answer.calls(
          Answer.call(
              "task",
              Map.of(
                  "description",
                  "find the needle",
                  "prompt",
                  PROMPT,
                  "subagent_type",
                  "explore",
                  "background",
                  true)));
    }
    delegated.countDown();
    return Answer.says(
        call.notices().isEmpty() ? "I delegated the search." : "It is in src/hay.txt, line 2.");
  }

  /** The notice comes after the answer to the result of the delegation, not together with it. */
  private static Answer child(ModelCall call, CountDownLatch delegated)
      throws InterruptedException {
    delegated.await();
    if (call.isFirst()) {
      return Answer.calls(
          Answer.call("grep", Map.of("pattern", "needle")),
          Answer.call("read", Map.of("file_path", "src/hay.txt")));
    }
    return Answer.says("The needle is at src/hay.txt:2.");
  }
}
