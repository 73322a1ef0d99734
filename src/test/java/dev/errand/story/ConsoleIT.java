package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.Browser;
import dev.errand.kit.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a person sees in the console, with a real browser. No page may write to its console. */
class ConsoleIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  /** Text that would run, load or hide something if it became anything but text. */
  private static final String HOSTILE =
      "<img src=x onerror=alert(1)><script>alert(2)</script> ![p](http://evil.example/p.png)"
          + " [l](javascript:alert(3)) \u202Egpj.exe\u202C \u200Bhidden";

  @TempDir static Path folder;

  private static Browser browser;
  private static Service service;

  @BeforeAll
  static void start() throws IOException {
    browser = Browser.start(Files.createDirectory(folder.resolve("browser")));
    var workspace = Files.createDirectory(folder.resolve("workspace"));
    Files.writeString(workspace.resolve("retry.txt"), "The delay before a retry doubles.\n");
    service =
        Service.start(
            folder.resolve("home"),
            Map.of("ERRAND_MODEL", "offline:planner", "ERRAND_WORKSPACE", workspace.toString()));
  }

  @AfterAll
  static void stop() throws Exception {
    if (service != null) {
      service.close();
    }
    if (browser != null) {
      browser.close();
    }
  }

  @AfterEach
  void nothingWasWritten() {
    assertThat(browser.messages()).isEmpty();
  }

  @Test
  void treeGrowsUntilTheAnswerArrives() {
    open("");
    write("textarea", "Where is the delay before a retry computed?");
    browser.run("document.querySelector('e-ask form').requestSubmit();");

    await().atMost(TIMEOUT).until(() -> text("main").contains("✓"));
    await().atMost(TIMEOUT).until(() -> text(".conversation").contains("arrived"));
    await().atMost(TIMEOUT).until(() -> text(".conversation").contains("retry.txt"));
    assertThat(ask("return location.pathname;")).startsWith("/console/ses_");
    assertThat(count(".row")).isEqualTo(2);
    assertThat(count(".cap.completed")).isEqualTo(1);
  }

  @Test
  void linksToEveryKindOfIdSurviveAReload() {
    var task = task("find it", "Where is the delay before a retry computed?");
    var child = service.get("/v1/tasks/" + task).get("session_id").asText();

    for (var id : List.of(task, child)) {
      open(id);
      await().atMost(TIMEOUT).until(() -> text(".session-head").contains(child));
      assertThat(text("main")).contains("find it");
    }
  }

  @Test
  void unknownIdIsSaidInsideThePage() {
    open("ses_00000000000070008000000000000000");

    await().atMost(TIMEOUT).until(() -> text("main").contains("There is nothing with this id"));
    assertThat(browser.messages()).allMatch(message -> message.contains("404"));
  }

  @Test
  void hostileWordsStayWords() {
    var root =
        service
            .post("/v1/sessions", Map.of("title", HOSTILE, "kind", "hosted"), 201)
            .get("id")
            .asText();
    service.post("/v1/sessions/" + root + "/messages", Map.of("text", HOSTILE), 202);

    open(root);
    await().atMost(TIMEOUT).until(() -> text(".conversation").contains("onerror"));

    assertThat(text("h1")).contains("<img src=x").contains("U+202E").contains("U+200B");
    assertThat(count("main img, main script, main iframe")).isZero();
    assertThat(count("a[href^='javascript']")).isZero();
    open("");
    await().atMost(TIMEOUT).until(() -> text("main").contains("<img src=x"));
    assertThat(count("main img, main script")).isZero();
  }

  @Test
  void filterShowsMatchingAgentsAndWhatContainsThem() {
    var task = task("count the boats", "Where is the delay before a retry computed?");
    open(task);
    await().atMost(TIMEOUT).until(() -> count(".row") == 2);

    write("input[type=search]", "no such words");
    await().atMost(TIMEOUT).until(() -> count(".row") <= 1);
    write("input[type=search]", "boats");
    await().atMost(TIMEOUT).until(() -> count(".row") == 2);
  }

  /** The id of a task of a root of its own. */
  private static String task(String description, String prompt) {
    return service
        .post(
            "/v1/tasks",
            Map.of(
                "description",
                description,
                "prompt",
                prompt,
                "subagent_type",
                "explore",
                "background",
                true),
            202)
        .get("metadata")
        .get("task_id")
        .asText();
  }

  private static void open(String id) {
    browser.open(service.uri("/console/" + id).toString());
  }

  private static void write(String selector, String value) {
    await().atMost(TIMEOUT).until(() -> count(selector) > 0);
    browser.run(
        """
        const [selector, value] = args;
        const field = document.querySelector(selector);
        field.value = value;
        field.dispatchEvent(new Event('input', {bubbles: true}));
        """,
        selector,
        value);
  }

  private static String text(String selector) {
    return browser
        .run("return document.querySelector(args[0])?.textContent ?? '';", selector)
        .asText();
  }

  private static int count(String selector) {
    return browser.run("return document.querySelectorAll(args[0]).length;", selector).asInt();
  }

  private static String ask(String script) {
    return browser.run(script).asText();
  }
}
