package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.NpmPackage;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.OpenCode;
import dev.errand.kit.Rare;
import dev.errand.kit.Service;
import dev.errand.kit.StreamedOpenAi;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ModelCall;
import dev.errand.kit.Turn;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * OpenCode, which knows no tasks of the protocol, delegates over MCP: its calls wait for the
 * answer. Its model and the models of the tasks are scripted.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OpenCodeIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(90);
  private static final Pattern TASK_ID = Pattern.compile("task_[0-9a-f]{32}");
  private static final String ANSWER = "The gold is in the mountains.";

  private final Path home;
  private final StubEndpoint childModel;
  private final Service service;
  private CountDownLatch open = new CountDownLatch(0);
  private StubEndpoint model;
  private String title;

  OpenCodeIT(@TempDir Path home) throws IOException {
    NpmPackage.OPENCODE.file("package.json");
    this.home = home;
    this.childModel = StubEndpoint.start(new OpenAiStub(), this::child);
    this.service = Service.start(home.resolve("service"), childModel.environment());
  }

  @AfterAll
  void stop() throws Exception {
    service.close();
    childModel.close();
  }

  @BeforeEach
  void newModel(TestInfo test) throws IOException {
    title = test.getTestMethod().orElseThrow().getName();
    model = StubEndpoint.start(new StreamedOpenAi(), this::answer);
    open = new CountDownLatch(1);
  }

  @AfterEach
  void closeModel() {
    open.countDown();
    model.close();
    System.out.printf("%n%s: what the client's model reads%n", title);
    talk().forEach(turn -> System.out.println(turn.role() + ": " + turn.text()));
  }

  /** The whole conversation; other requests ask for its title. */
  private List<Turn> talk() {
    return model.calls().stream()
        .filter(call -> !call.tools().isEmpty())
        .reduce((earlier, later) -> later)
        .map(ModelCall::turns)
        .orElse(List.of());
  }

  @Test
  void callWithProgressOutlastsTheTimeoutOfTheClient() throws Exception {
    try (var client = start(Duration.ofSeconds(4), "Delegate.")) {
      await().atMost(TIMEOUT).until(() -> age() > 8);
      open.countDown();

      assertThat(client.awaitEnd()).last().asString().isEqualTo("I read: " + ANSWER);
    }

    check();
  }

  /** The client gives up before the next progress, and says so with {@code cancelled}. */
  @Test
  void taskOfACallThatTheClientGaveUpContinues() throws Exception {
    try (var client = start(Duration.ofMillis(1_800), "Delegate, then ask again.")) {
      await().atMost(TIMEOUT).until(() -> talk().stream().anyMatch(OpenCodeIT::isGivenUp));
      open.countDown();

      assertThat(client.awaitEnd()).last().asString().isEqualTo("I read: " + ANSWER);
    }

    check();
    assertThat(service.text("/q/metrics")).contains("notifications/cancelled");
  }

  @Test
  @Rare
  void refusedDelegationTellsTheModelWhatToChange() throws Exception {
    try (var client = start(Duration.ofSeconds(30), "Delegate to nobody.")) {
      assertThat(client.awaitEnd()).last().asString().contains("nobody");
    }

    assertThat(states()).isEmpty();
  }

  private OpenCode start(Duration timeout, String prompt) throws IOException {
    var endpoint = URI.create(model.environment().get("OPENAI_BASE_URL"));
    return new OpenCode(home.resolve(title), endpoint, service.uri("/mcp"), timeout, prompt);
  }

  private static boolean isGivenUp(Turn turn) {
    return turn.role().equals("tool") && turn.text().contains("timed out");
  }

  /** The seconds since the task was made; 0 before. */
  private double age() throws IOException {
    return ofTask("extract(epoch from now() - created_at)", Double.class).stream()
        .findFirst()
        .orElse(0.0);
  }

  private List<String> states() throws IOException {
    return ofTask("state", String.class);
  }

  private <T> List<T> ofTask(String column, Class<T> type) throws IOException {
    return service
        .database()
        .withHandle(handle ->
            handle
                .createQuery("select <column> from task where description = :title")
                .define("column", column)
                .bind("title", title)
                .mapTo(type)
                .list());
  }

  private void check() throws IOException {
    assertThat(states()).containsExactly("completed");
    assertThat(model.errors()).isEmpty();
    assertThat(childModel.errors()).isEmpty();
  }

  /**
   * The client's model delegates, looks for a task that it was not told of, and reads its answer.
   */
  private Answer answer(ModelCall call) {
    if (call.tools().isEmpty()) {
      return Answer.says("A title");
    }
    var last = call.last();
    if (call.isFirst()) {
      return Answer.calls(Answer.call("errand_task", delegation(call.prompt())));
    }
    if (isGivenUp(last)) {
      return Answer.calls(Answer.call("errand_task_list", Map.of()));
    }
    var listed = TASK_ID.matcher(last.text());
    return listed.find()
        ? Answer.calls(
            Answer.call("errand_task_output", Map.of("task_id", listed.group(), "wait_ms", 60_000)))
        : Answer.says("I read: " + last.text());
  }

  private Map<String, String> delegation(String prompt) {
    var agent = prompt.contains("nobody") ? "nobody" : "general";
    return Map.of("description", title, "prompt", "Dig.", "subagent_type", agent);
  }

  private Answer child(ModelCall call) throws InterruptedException {
    open.await();
    return Answer.says(ANSWER);
  }
}
