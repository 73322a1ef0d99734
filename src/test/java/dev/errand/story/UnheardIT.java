package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.kit.AnthropicStub;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * The packaged service with endpoints that are away, that limit their calls and the length of
 * requests: every result is heard, and nothing is lost of a conversation.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UnheardIT {

  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private static final int PACED = 60;
  private static final int BOOKS = 60;
  private static final int BOOK_BYTES = 40_000;

  private final Path home;
  private final UnheardModel model = new UnheardModel();
  private final StubEndpoint openAi;
  private final StubEndpoint anthropic;
  private final Service service;

  UnheardIT(@TempDir Path home) throws IOException {
    this.home = home;
    openAi = StubEndpoint.start(new OpenAiStub(), model::answer);
    anthropic = StubEndpoint.start(new AnthropicStub(), model::paced);
    var environment = new HashMap<>(anthropic.environment());
    environment.putAll(openAi.environment());
    environment.put("ERRAND_MODEL_RETRY_LONGEST_DELAY", "2s");
    service = Service.start(home.resolve("service"), environment);
  }

  @AfterEach
  void endOutage() {
    model.away = false;
  }

  @AfterAll
  void stop() throws Exception {
    service.close();
    openAi.close();
    anthropic.close();
  }

  /** Each result arrives when the parent rests again after the one before. */
  @Test
  void resultsThatArriveOneAfterTheOtherAreAllHeard() {
    var root = session(Map.of());

    say(root, "Fan out.");
    for (int part = 0; part < UnheardModel.PARTS; part++) {
      var heard = part;
      await("%d results are heard".formatted(heard))
          .atMost(TIMEOUT)
          .until(() -> isIdle(root) && notices(root).size() == heard);
      model.parts.get(part).countDown();
    }
    SessionProbe.awaitRest(service, root);

    assertThat(notices(root)).hasSize(UnheardModel.PARTS);
    assertThat(get(root).get("waiting_notices").asInt()).isZero();
    assertThat(SessionProbe.roles(service, root).getLast()).isEqualTo("assistant");
  }

  @Test
  void agentThatDelegatesAgainWithEachResultStopsByItself() {
    var root = session(Map.of());

    say(root, "Chain.");
    await("the chain is held").atMost(TIMEOUT).until(() -> held(root) == 1);
    SessionProbe.awaitRest(service, root);
    assertThat(SessionProbe.tasks(service, root)).hasSize(4);
    service.post("/v1/sessions/" + root + "/resume", Map.of(), 202);
    await("the chain is held again").atMost(TIMEOUT).until(() -> held(root) == 1);
    SessionProbe.awaitRest(service, root);

    assertThat(SessionProbe.tasks(service, root)).hasSize(8);
    assertThat(openAi.calls())
        .filteredOn(call -> call.prompt().equals("Chain.") || call.prompt().equals("link"))
        .hasSizeLessThan(60);
  }

  private int held(String root) {
    return get(root).get("waiting_notices").asInt();
  }

  @Test
  void everythingContinuesAfterAnOutageOfTheModel() throws Exception {
    var root = session(Map.of("limits", Map.of("max_background_tasks", UnheardModel.CHILDREN)));
    say(root, "Send them.");
    model.childrenCalled.await();
    // One of them makes a call from time to time, and the hasty one may have ended.
    await("all wait").atMost(TIMEOUT).until(() -> waiting(root) >= UnheardModel.CHILDREN - 2);
    var threads = threads();
    var since = System.nanoTime();
    var before = model.refused.get();
    await("four more calls are refused")
        .atMost(TIMEOUT)
        .until(() -> model.refused.get() >= before + 4);
    assertThat(Duration.ofNanos(System.nanoTime() - since)).isGreaterThan(Duration.ofSeconds(2));
    assertThat(threads() - threads).isLessThan(UnheardModel.CHILDREN / 4);

    var hasty = tasks(root, "timeout_ms", "" + UnheardModel.HASTE).getFirst().get("id").asText();
    var timedOut = service.get("/v1/tasks/" + hasty + "?wait_ms=60000");
    model.away = false;
    SessionProbe.awaitRest(service, root);

    assertThat(timedOut.get("state").asText()).isEqualTo("timed_out");
    assertThat(timedOut.get("run_ms").asLong()).isGreaterThanOrEqualTo(UnheardModel.HASTE);
    assertThat(tasks(root, "state", "completed"))
        .hasSize(UnheardModel.CHILDREN - 1)
        .allSatisfy(task -> assertThat(task.get("attempts").asInt()).isEqualTo(1));
    assertThat(notices(root))
        .hasSize(UnheardModel.CHILDREN)
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
  void manyTasksShareAnEndpointThatLimitsItsCalls() {
    var parent = session(Map.of("kind", "external", "limits", Map.of("max_background_tasks", 100)));

    for (int number = 0; number < PACED; number++) {
      service.post(
          "/v1/tasks",
          Map.of(
              "parent_session_id",
              parent,
              "description",
              "a task",
              "prompt",
              "paced " + number,
              "background",
              true,
              "model",
              new AnthropicStub().model(),
              "timeout_ms",
              300_000),
          202);
    }
    SessionProbe.awaitRest(service, parent);

    assertThat(tasks(parent, "state", "completed")).hasSize(PACED);
    assertThat(model.taken.get()).isEqualTo(2 * PACED);
    // Calls under way when the first one is refused may be refused, too; those are not counted.
    assertThat(model.tooFast.get()).isLessThan(2 * PACED / 6);
    assertThat(anthropic.errors()).isEmpty();
  }

  @Test
  void longConversationContinuesAndKeepsWhatWasSaidAlsoAfterAKillDuringItsSummary()
      throws Exception {
    var root = session(Map.of("workspace", library().toString()));

    readOn(root, 20, "Remember the word heliotrope-7, and read the first books.");
    readOn(root, 40, "The other word is obsidian-4. Read on.");
    readOn(root, BOOKS, "Read the rest.");
    say(root, "Which words did I name?");
    SessionProbe.awaitRest(service, root);

    assertThat(model.summaryAsked.getCount()).isZero();
    assertThat(model.tooLong.get()).isPositive();
    assertThat(SessionProbe.lastText(service, root)).isEqualTo("heliotrope-7 obsidian-4");
    assertThat(get(root).get("last_error").isNull()).isTrue();
    assertThat(SessionProbe.messages(service, root))
        .filteredOn(message -> message.get("role").asText().equals("tool"))
        .hasSize(BOOKS)
        .allSatisfy(
            message -> assertThat(SessionProbe.text(message)).hasSizeGreaterThan(BOOK_BYTES));
  }

  private void readOn(String root, int until, String text) throws Exception {
    model.readUntil = until;
    say(root, text);
    await("it is read, or a summary is asked for")
        .atMost(TIMEOUT)
        .until(() ->
            model.read.get() == until && isIdle(root)
                || (model.summaryAsked.getCount() == 0 && model.killed.getCount() == 1));
    if (model.summaryAsked.getCount() == 0 && model.killed.getCount() == 1) {
      service.kill();
      model.killed.countDown();
      service.startAgain();
    }
    SessionProbe.awaitRest(service, root);
  }

  @Test
  void turnWithManyLongResultsContinues() throws Exception {
    var root = session(Map.of("workspace", library().toString()));

    say(root, "Read 30 books at once.");
    SessionProbe.awaitRest(service, root);
    say(root, "And now?");
    SessionProbe.awaitRest(service, root);

    assertThat(SessionProbe.roles(service, root))
        .containsExactly("user", "assistant", "tool", "assistant", "user", "assistant");
    assertThat(SessionProbe.lastText(service, root)).isEqualTo("That is read.");
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

  private String session(Map<String, ?> body) {
    return service.post("/v1/sessions", body, 201).get("id").asText();
  }

  private void say(String session, String text) {
    service.post("/v1/sessions/" + session + "/messages", Map.of("text", text), 202);
  }

  private JsonNode get(String session) {
    return service.get("/v1/sessions/" + session);
  }

  private boolean isIdle(String session) {
    return get(session).get("state").asText().equals("idle");
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
}
