package dev.errand.story;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.kit.Browser.Key;
import dev.errand.kit.ConsolePage;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ModelCall;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The console for people who use no mouse, see differently, or have a small screen. */
class ConsoleAccessIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int MOST_TABS = 80;
  private static final String UNKNOWN = "ses_00000000000070008000000000000000";

  /** What axe finds against WCAG 2.2, A and AA, and how many of its rules the page obeys. */
  private static final String FAULTS =
      axe()
          + """
          ;
          const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
          const found = await window.axe.run(document, {runOnly: {type: 'tag', values: tags}});
          return {rules: found.passes.length, faults: found.violations.flatMap(fault => fault.nodes.map(node =>
              fault.id + ': ' + node.html.slice(0, 200) + ' ' + node.failureSummary))};
          """;

  /** What is wider than the window, or has text that cannot be read to its end. */
  private static final String TOO_WIDE =
      """
      const scrolls = element => element && (['auto', 'scroll'].includes(getComputedStyle(element).overflowX)
          || scrolls(element.parentElement));
      const hidden = element => element.closest('.sr, [aria-hidden=true]') || getComputedStyle(element).visibility === 'hidden';
      const wide = [...document.querySelectorAll('main *, nav *, dialog *')].filter(element =>
          element.getClientRects().length > 0 && !hidden(element)
          && element.getBoundingClientRect().right > innerWidth + 0.5 && !scrolls(element.parentElement));
      const page = document.documentElement.scrollWidth > innerWidth ? ['the page'] : [];
      return [...page, ...wide.map(element => element.outerHTML.slice(0, 160))];
      """;

  @RegisterExtension static final ConsolePage CONSOLE = new ConsolePage();
  @TempDir static Path folder;

  private static final CountDownLatch NEVER = new CountDownLatch(1);

  private static StubEndpoint model;
  private static Service service;

  @BeforeAll
  static void start() throws IOException {
    model = StubEndpoint.start(new OpenAiStub(), ConsoleAccessIT::answer);
    service = Service.start(folder.resolve("home"), model.environment());
  }

  @AfterAll
  static void stop() throws Exception {
    if (service != null) {
      service.close();
      model.close();
    }
  }

  @BeforeEach
  void normalWindow() {
    CONSOLE.browser().resize(1440, 900, 1);
  }

  /** The root lists files, then delegates; its child never ends. */
  private static Answer answer(ModelCall call) throws InterruptedException {
    if (!call.prompt().startsWith("Look")) {
      NEVER.await();
    }
    if (call.isFirst()) {
      return new Answer(
          "I **look** at `files` first:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```",
          List.of(
              Answer.call("list", Map.of()),
              Answer.call("read", Map.of("file_path", "no-such-file-with-a-long-name.txt")),
              Answer.task("Wait.", true)));
    }
    return Answer.says("Now I wait.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"light", "dark"})
  void pagesHaveNoFaultsOfAccessibility(String theme) {
    var root = root();
    CONSOLE.expect("404");
    CONSOLE.browser().prefer(theme);

    CONSOLE.open(service, "").awaitText("main", "Running");
    assertNoFaults("overview");
    CONSOLE.open(service, "login").awaitText("main", "Log in");
    assertNoFaults("login");
    CONSOLE.open(service, UNKNOWN).awaitText("main", "There is nothing with this id");
    assertNoFaults("unknown id");
    openWorkspace(root);
    CONSOLE.browser().run("document.querySelectorAll('.card-head').forEach(head => head.click());");
    assertNoFaults("workspace");
    CONSOLE.browser().click(".head .danger");
    CONSOLE.browser().awaitText("dialog", "Stop");
    assertNoFaults("dialog");
  }

  private static void assertNoFaults(String page) {
    var found = CONSOLE.browser().run(FAULTS);
    assertThat(found.path("rules").asInt()).as("rules that apply to " + page).isGreaterThan(5);
    assertThat(found.get("faults").valueStream().map(JsonNode::asText)).as(page).isEmpty();
  }

  @Test
  void keyboardAsksWatchesOpensACardAndStops() {
    var page = CONSOLE.open(service, "");
    page.awaitText("main", "Needs attention");

    tabTo("textarea");
    page.press("Look around" + Key.ENTER);
    page.awaitText(".rows", "waits for 1 subagent");
    tabTo(".card-head");
    page.press(Key.ENTER);
    page.awaitCount(".card-body", 1);
    page.open(page.run("return location.href;").asText());
    page.awaitText(".rows", "waits for 1 subagent");
    tabTo(".rows");
    page.press(Key.DOWN);
    page.awaitText(".session-head", "general");
    page.press(Key.UP);
    page.awaitText(".session-head", "primary");
    tabTo(".head .danger");
    page.press(Key.ENTER);
    page.awaitText("dialog", "1 task below");
    tabTo("dialog .danger");
    page.press(Key.ENTER);
    page.awaitText(".rows", "cancelled");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "login", UNKNOWN, "root", "child"})
  void narrowWindowCutsNothingOff(String path) {
    var page = CONSOLE.browser();
    page.resize(320, 640, 1);
    if (path.equals(UNKNOWN)) {
      CONSOLE.expect("404");
    }
    switch (path) {
      case "root" -> {
        openWorkspace(root());
        page.run("document.querySelectorAll('.card-head').forEach(head => head.click());");
      }
      case "child" -> openWorkspace(child(root()));
      default -> CONSOLE.open(service, path);
    }
    page.awaitText("nav", "Errand");
    await().atMost(TIMEOUT).until(() -> page.text("main").strip().length() > 20);

    assertThat(page.run(TOO_WIDE).valueStream().map(JsonNode::asText)).isEmpty();
  }

  /** Presses Tab until an element of this selector has the focus. */
  private static void tabTo(String selector) {
    var page = CONSOLE.browser();
    for (int times = 0; times < MOST_TABS; times++) {
      page.press(Key.TAB);
      if (page.run("return document.activeElement.matches(args[0]);", selector).asBoolean()) {
        return;
      }
    }
    throw new AssertionError(selector + " is not reached with Tab");
  }

  private static void openWorkspace(String session) {
    CONSOLE.open(service, session).awaitText(".rows", "waits for 1 subagent");
    CONSOLE.browser().awaitText("nav", "live");
    await().atMost(TIMEOUT).until(() -> CONSOLE.browser().count(".message") > 0);
  }

  private static String root() {
    var root = service.post("/v1/sessions", Map.of(), 201).get("id").asText();
    service.post("/v1/sessions/" + root + "/messages", Map.of("text", "Look for files."), 202);
    await()
        .atMost(TIMEOUT)
        .until(() -> service.text("/v1/sessions/" + root + "/messages").contains("Now I wait."));
    return root;
  }

  private static String child(String root) {
    return service.get("/v1/sessions/" + root + "/tasks").at("/items/0/session_id").asText();
  }

  private static String axe() {
    try (var script = requireNonNull(ConsoleAccessIT.class.getResourceAsStream("/axe.min.js"))) {
      return new String(script.readAllBytes(), UTF_8);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
