package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.kit.Browser;
import dev.errand.kit.Browser.Key;
import dev.errand.kit.ConsolePage;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.Call;
import dev.errand.kit.StubEndpoint.ErrorStatus;
import dev.errand.kit.StubEndpoint.ModelCall;
import dev.errand.kit.WebhookReceiver;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What a person does in the console with sessions, tasks and deliveries. */
class ConsoleActionsIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  /** Two seconds on a machine that does nothing else. */
  private static final Duration STOPPED_WITHIN = Duration.ofSeconds(6);

  @RegisterExtension static final ConsolePage CONSOLE = new ConsolePage();
  @TempDir static Path folder;

  private static final CountDownLatch ENDED = new CountDownLatch(1);
  private static final AtomicInteger REFUSED = new AtomicInteger();

  private static StubEndpoint model;
  private static WebhookReceiver receiver;
  private static Service service;

  @BeforeAll
  static void start() throws IOException {
    model = StubEndpoint.start(new OpenAiStub(), ConsoleActionsIT::answer);
    receiver = new WebhookReceiver();
    var environment = new HashMap<>(model.environment());
    environment.put("ERRAND_WEBHOOKS_ALLOW_PRIVATE", "true");
    environment.put("ERRAND_WEBHOOKS_SCHEDULE", "0s");
    service = Service.start(folder.resolve("home"), environment);
  }

  @AfterAll
  static void stop() throws Exception {
    ENDED.countDown();
    if (service != null) {
      service.close();
      receiver.close();
      model.close();
    }
  }

  @Test
  void stopEndsTheWholeTree() {
    var root = ask("Delegate eight.");
    var page = CONSOLE.open(service, root);
    page.awaitCount(".row .state.running", 8);

    page.clickText("Stop 8…");
    page.awaitText("dialog", "This cancels this run and 8 tasks below it.");
    page.clickText("Keep running");
    page.awaitCount("dialog", 0);
    assertThat(page.count(".row .state.running")).isEqualTo(8);
    page.clickText("Stop 8…");
    page.click("dialog .danger");
    var clicked = System.nanoTime();
    await()
        .pollInterval(Duration.ofMillis(20))
        .atMost(STOPPED_WITHIN)
        .until(() -> page.count(".row .state.cancelled") == 8);

    System.out.println("Stopped after " + Duration.ofNanos(System.nanoTime() - clicked));
    page.awaitCount(".cap.cancelled", 8);
    assertThat(page.text(".head button")).isEmpty();
    assertThat(SessionProbe.tasks(service, root))
        .allMatch(task -> task.get("state").asText().equals("cancelled"));
  }

  @Test
  void keysMoveInTheTree() {
    var root = ask("Delegate three.");
    var page = CONSOLE.open(service, root);
    page.awaitCount(".cap", 3);
    page.awaitCount(".row .state.failed", 2);
    var rows = page.run("return [...document.querySelectorAll('.row')].map(row => row.id);");
    var failed =
        page.run(
            "return [...document.querySelectorAll('.row:has(.state.failed)')].map(row => row.id);");

    page.type(".rows", Key.DOWN);
    awaitSelected(page, rows.get(1));
    page.type(".rows", Key.DOWN + Key.DOWN + Key.DOWN);
    awaitSelected(page, rows.get(3));
    page.type(".rows", Key.UP + Key.UP + Key.UP);
    awaitSelected(page, rows.get(0));
    page.type(".rows", "n");
    awaitSelected(page, failed.get(0));
    page.awaitText(".session-head .problem", "no such thing");
    page.type(".rows", "n");
    awaitSelected(page, failed.get(1));
    page.type(".rows", "n");
    awaitSelected(page, failed.get(0));
    page.type(".rows", Key.LEFT);
    awaitSelected(page, rows.get(0));
    page.type(".rows", Key.LEFT);
    page.awaitCount(".row", 1);
    page.type(".rows", Key.RIGHT);
    page.awaitCount(".row", 4);
    ShownTree.awaitEqual(page, service, root);
  }

  private static void awaitSelected(Browser page, JsonNode row) {
    page.awaitCount("#%s.selected[aria-selected=true]".formatted(row.asText()), 1);
  }

  @Test
  void deadDeliveriesAreRetriedAndDismissed() {
    receiver.answers(WebhookReceiver.status(500));
    var tasks = List.of(taskWithCallback(), taskWithCallback());
    var page = CONSOLE.open(service, "");
    await().atMost(TIMEOUT).until(() -> deadLetters(page) == 2);
    page.awaitText(".lines", "its webhook");

    receiver.answers(WebhookReceiver.status(200));
    page.clickText("Retry");
    await().atMost(TIMEOUT).until(() -> deadLetters(page) == 1);
    assertThat(receiver.awaitPosts(3)).hasSize(3);

    page.clickText("Dismiss");
    page.awaitText("dialog", "Dismiss this delivery?");
    page.click("dialog button");
    page.awaitCount("dialog", 0);
    assertThat(deadLetters(page)).isEqualTo(1);
    page.clickText("Dismiss");
    page.click("dialog .danger");
    await().atMost(TIMEOUT).until(() -> deadLetters(page) == 0);
    assertThat(receiver.posts()).hasSize(3);
    assertThat(tasks.stream().flatMap(task -> deliveries(task).stream()))
        .doesNotContain("dead", "pending");
  }

  @Test
  void failedSessionIsResumed() {
    var root = ask("Refuse once.");
    var page = CONSOLE.open(service, "");
    page.awaitText("[aria-labelledby=attention]", "Refuse once.");

    page.clickText("Resume");
    await()
        .atMost(TIMEOUT)
        .until(() -> !page.text("[aria-labelledby=attention]").contains("Refuse once."));

    CONSOLE.open(service, root);
    page.awaitText(".conversation", "Accepted.");
    assertThat(page.text(".head .state")).contains("at rest");
  }

  private static Answer answer(ModelCall call) throws InterruptedException {
    var prompt = call.prompt();
    if (prompt.startsWith("Delegate")) {
      return call.isFirst() ? Answer.calls(delegations(prompt)) : Answer.says("They work.");
    }
    if (prompt.startsWith("Wait")) {
      ENDED.await();
    }
    if (prompt.startsWith("Fail")) {
      throw new ErrorStatus(400, "{\"error\":{\"message\":\"no such thing\"}}");
    }
    if (prompt.startsWith("Refuse")) {
      if (REFUSED.getAndIncrement() == 0) {
        throw new ErrorStatus(401);
      }
      return Answer.says("Accepted.");
    }
    return Answer.says("Said.");
  }

  private static Call[] delegations(String prompt) {
    var prompts =
        prompt.contains("three")
            ? new String[] {"Say one.", "Fail two.", "Fail three."}
            : "Wait 1.,Wait 2.,Wait 3.,Wait 4.,Wait 5.,Wait 6.,Wait 7.,Wait 8.".split(",");
    return Arrays.stream(prompts)
        .map(one ->
            Answer.call("task", Map.of("description", one, "prompt", one, "background", true)))
        .toArray(Call[]::new);
  }

  private static String ask(String text) {
    var root = service.post("/v1/sessions", Map.of("kind", "hosted"), 201).get("id").asText();
    service.post("/v1/sessions/" + root + "/messages", Map.of("text", text), 202);
    return root;
  }

  private static String taskWithCallback() {
    return service
        .post(
            "/v1/tasks",
            Map.of(
                "description",
                "a post",
                "prompt",
                "Say it.",
                "background",
                true,
                "callback",
                Map.of("url", receiver.url())),
            202)
        .at("/metadata/task_id")
        .asText();
  }

  private static List<String> deliveries(String task) {
    return service.items("/v1/deliveries?task_id=" + task, "cursor").stream()
        .map(delivery -> delivery.get("state").asText())
        .toList();
  }

  private static int deadLetters(Browser page) {
    return page.text("[aria-labelledby=attention]").split("dead letter", -1).length - 1;
  }
}
