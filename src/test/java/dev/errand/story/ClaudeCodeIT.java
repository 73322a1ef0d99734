package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.ClaudeCode;
import dev.errand.kit.NpmPackage;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Rare;
import dev.errand.kit.Service;
import dev.errand.kit.StreamedAnthropic;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ModelCall;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Claude Code delegates over MCP with a key, goes idle, and is woken with the answers, also when it
 * or the service was killed while the tasks ran. Its model and the models of the tasks are
 * scripted.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClaudeCodeIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(90);
  private static final String ADMIN_KEY = "err_root_" + "c0de".repeat(16);

  private final Path home;
  private final StubEndpoint childModel;
  private final Service service;
  private final String key;
  private final Set<String> running = ConcurrentHashMap.newKeySet();
  private CountDownLatch open = new CountDownLatch(0);
  private DelegatingModel script;
  private StubEndpoint model;
  private ClaudeCode client;
  private String title;

  ClaudeCodeIT(@TempDir Path home) throws IOException {
    NpmPackage.CLAUDE_CODE.file("package.json");
    this.home = home;
    this.childModel = StubEndpoint.start(new OpenAiStub(), this::child);
    var settings = new HashMap<>(childModel.environment());
    settings.put("ERRAND_AUTH", "keys");
    settings.put("ERRAND_ADMIN_KEY", ADMIN_KEY);
    this.service = Service.start(home.resolve("service"), settings);
    this.key = newKey("agent");
  }

  private String newKey(String role) {
    var asked = Map.of("name", "a client", "role", role);
    var authorization = new String[] {"Authorization", "Bearer " + ADMIN_KEY};
    return service.post("/v1/keys", asked, 201, authorization).get("key").asText();
  }

  @AfterAll
  void stop() throws Exception {
    service.close();
    childModel.close();
  }

  @BeforeEach
  void newClient(TestInfo test) throws IOException {
    title = test.getTestMethod().orElseThrow().getName();
    script = new DelegatingModel(title);
    model = StubEndpoint.start(new StreamedAnthropic(), script::answer);
    client = newClient(title, key);
    running.clear();
  }

  private ClaudeCode newClient(String folder, String withKey) throws IOException {
    var url = URI.create(model.environment().get("ANTHROPIC_BASE_URL"));
    return new ClaudeCode(home.resolve(folder), url, service.uri("/mcp"), withKey);
  }

  @AfterEach
  void closeClient() throws Exception {
    open.countDown();
    client.close();
    model.close();
    System.out.printf("%n%s: the client's transcript%n", title);
    client.transcript().forEach(System.out::println);
  }

  @Test
  void clientGoesIdleAndIsWokenWithTheAnswer() throws Exception {
    delegate(1);
    assertThat(model.calls()).as("it delegates, reads that the task runs, and rests").hasSize(2);

    open.countDown();

    awaitResults(1);
    assertThat(model.calls()).hasSize(3);
  }

  @Test
  @Rare
  void killedClientIsWokenAfterItContinues() throws Exception {
    delegate(2);
    client.kill();
    open.countDown();
    await().atMost(TIMEOUT).until(() -> completed() == 2);

    client.open("--continue");

    awaitResults(2);
  }

  @Test
  @Rare
  void clientIsWokenAlthoughTheNodeWasKilled() throws Exception {
    delegate(2);
    service.kill();
    running.clear();
    startServiceAgain();
    await().atMost(TIMEOUT).until(() -> running.size() == 2);

    open.countDown();

    awaitResults(2);
  }

  @Test
  void clientAndNodeDieWhileEightTasksRun() throws Exception {
    delegate(8);
    client.kill();
    service.kill();
    running.clear();
    service.startAgain();
    client.open("--continue");
    await().atMost(TIMEOUT).until(() -> running.size() == 8);

    open.countDown();

    awaitResults(8);
  }

  @Test
  @Rare
  void fortyTasksOfOneTurnAreAnswered() throws Exception {
    open.countDown();
    client.open("Delegate 40 tasks.");

    awaitResults(40);
  }

  /**
   * Without a terminal the client cannot be woken, so its calls wait for the answers, one after the
   * other.
   */
  @Test
  void callsOfAClientWithoutATerminalAreAnsweredInTheirTurn() throws Exception {
    open = new CountDownLatch(1);
    client.open("--print", "Delegate 2 tasks.");
    await().atMost(TIMEOUT).until(() -> running.size() == 1);

    open.countDown();

    await(title).atMost(TIMEOUT).until(() -> model.calls().size() == 2);
    assertThat(model.calls().getLast().turns().toString())
        .contains(found(script.prompt(1)), found(script.prompt(2)))
        .doesNotContain("<task-notification>");
  }

  @Test
  void taskOfACallThatWaitsIsCancelledWhenItsClientDies() throws Exception {
    open = new CountDownLatch(1);
    client.open("--print", "Delegate 1 tasks.");
    await().atMost(TIMEOUT).until(() -> running.size() == 1);

    client.kill();

    await(title).atMost(TIMEOUT).until(() -> ended("cancelled") == 1);
  }

  @Test
  void clientIsToldWhyItsKeyIsRefused() throws Exception {
    try (var stranger = newClient("stranger", "err_none_" + "0".repeat(64));
        var viewer = newClient("viewer", newKey("viewer"))) {
      stranger.open("mcp", "get", "errand");
      viewer.open("mcp", "get", "errand");

      await().atMost(TIMEOUT).until(() -> stranger.isShown("HTTP 401"));
      assertThat(stranger.isShown("Send a valid key or token")).isTrue();
      await().atMost(TIMEOUT).until(() -> viewer.isShown("HTTP 403"));
      assertThat(viewer.isShown("role of this key or token does not allow")).isTrue();
      System.out.printf("%n%s%n%s%n", stranger.screen(), viewer.screen());
    }
  }

  /** Lets the client delegate tasks that run until they may end. */
  private void delegate(int tasks) throws IOException {
    open = new CountDownLatch(1);
    client.open("Delegate %d tasks.".formatted(tasks));
    await().atMost(TIMEOUT).until(() -> running.size() == tasks);
    await().atMost(TIMEOUT).until(() -> model.calls().size() >= 2);
  }

  /** A client that has tried to reconnect for about 20 s waits for its user. */
  private void startServiceAgain() throws IOException {
    service.startAgain();
    if (client.hasGivenUp()) {
      client.type("/mcp reconnect errand");
    }
  }

  /** Waits until the client's model has been told each result, and checks that it was told once. */
  private void awaitResults(int tasks) throws IOException {
    var expected =
        IntStream.rangeClosed(1, tasks).mapToObj(number -> found(script.prompt(number))).toList();
    await(title).atMost(TIMEOUT).untilAsserted(() -> assertThat(told()).containsAll(expected));

    assertThat(told()).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(completed()).isEqualTo(tasks);
    assertThat(model.errors()).isEmpty();
    assertThat(childModel.errors()).isEmpty();
  }

  /** The results in the newest request to the client's model. */
  private List<String> told() {
    return model.calls().isEmpty() ? List.of() : DelegatingModel.told(model.calls().getLast());
  }

  private int completed() throws IOException {
    return ended("completed");
  }

  private int ended(String state) throws IOException {
    return service
        .database()
        .withHandle(handle ->
            handle
                .createQuery(
                    "select count(*) from task where state = :state and description = :title")
                .bind("state", state)
                .bind("title", title)
                .mapTo(Integer.class)
                .one());
  }

  private static String found(String prompt) {
    return "Done: " + prompt;
  }

  /** The model of the tasks: each answers when it may. */
  private Answer child(ModelCall call) throws InterruptedException {
    running.add(call.prompt());
    open.await();
    return Answer.says(found(call.prompt()));
  }
}
