package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.Browser;
import dev.errand.kit.ConsolePage;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ModelCall;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** How the console shows words that it did not write: those of models, tools, users and clients. */
class ConsoleWordsIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  /** As in the console: characters that reorder text or have no width. */
  private static final Pattern HIDDEN =
      Pattern.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]");

  @RegisterExtension static final ConsolePage CONSOLE = new ConsolePage();
  @TempDir static Path folder;

  private static StubEndpoint model;
  private static Service service;
  private static Path workspace;

  @BeforeAll
  static void start() throws IOException {
    workspace = Files.createDirectory(folder.resolve("workspace"));
    model = StubEndpoint.start(new OpenAiStub(), ConsoleWordsIT::answer);
    var environment = new HashMap<>(model.environment());
    environment.put("ERRAND_WORKSPACE", workspace.toString());
    environment.put("ERRAND_TOOLS_BASH", "enabled");
    service = Service.start(folder.resolve("home"), environment);
  }

  @AfterAll
  static void stop() throws Exception {
    if (service != null) {
      service.close();
    }
    if (model != null) {
      model.close();
    }
  }

  @Test
  void hostileWordsInManyPlacesStayWords() throws IOException {
    Files.writeString(
        workspace.resolve("lines.txt"), HostileWords.hostile("line of a file") + "\n");
    Files.writeString(workspace.resolve("%name of a file% <img src=x onerror=hit()>"), "");
    var root = open(Map.of("title", HostileWords.hostile("title"), "kind", "hosted"));
    say(root, HostileWords.hostile("message of a user"));
    var failed = open(Map.of("kind", "hosted"));
    say(failed, "Fail. " + HostileWords.hostile("opening"));
    pause(HostileWords.hostile("reason of a pause"));
    var page = CONSOLE.open(service, root);
    var seen = new StringBuilder();

    page.awaitText(".card .output.live", "U+202E");
    seen.append(content(page));
    Files.writeString(workspace.resolve("seen"), "");
    page.awaitText(".conversation", "%last answer%");
    page.awaitText(".conversation", "%answer in the background%");
    seen.append(withEverythingOpen(page));
    for (var session : service.get("/v1/sessions/" + root + "/tree").get("sessions")) {
      CONSOLE.open(service, session.get("id").asText());
      page.awaitText(".conversation", "user ·");
      seen.append(withEverythingOpen(page));
    }
    CONSOLE.open(service, failed);
    page.awaitText(".session-head", "%error of a model%");
    seen.append(withEverythingOpen(page));
    CONSOLE.open(service, "?again=" + failed);
    await()
        .atMost(TIMEOUT)
        .until(() -> page.count(".kind") == 2 && prompt(page).contains("%opening%"));
    seen.append(withEverythingOpen(page));

    var missing = HostileWords.places();
    missing.removeIf(place -> seen.indexOf("%" + place + "%") >= 0);
    assertThat(missing).as("places that no page shows").isEmpty();
    assertThat(HostileWords.places()).hasSizeGreaterThanOrEqualTo(40);
    assertThat(HIDDEN.matcher(seen).results()).as("characters that cannot be seen").isEmpty();
    assertThat(model.errors()).isEmpty();
  }

  @Test
  void changedWordsColoursAndExitCodesAreShown() throws IOException {
    Files.writeString(workspace.resolve("Login.java"), "class Login {\n  return user;\n}\n");
    var root = open(Map.of("title", "A change", "kind", "hosted"));
    say(root, "Change it.");
    var page = CONSOLE.open(service, root);
    page.awaitText(".conversation", "It is changed.");
    openAll(page);

    assertThat(page.text(".diff .minus")).isEqualTo("-   return user;\n");
    assertThat(page.text(".diff .plus")).isEqualTo("+   return checked(user);\n");
    assertThat(page.text(".diff .plus mark")).contains("checked(");
    assertThat(page.text(".diff .minus mark")).doesNotContain("return");
    assertThat(page.text(".output .ansi-c1")).isEqualTo("broken");
    assertThat(page.text(".output .ansi-c2")).isEqualTo("whole");
    assertThat(page.text("main")).contains("(exit code 3)").doesNotContain("\u001b");
    assertThat(page.count(".card.failed, .card.done")).isEqualTo(3);
  }

  private static Answer answer(ModelCall call) {
    if (!call.prompt().equals("Change it.")) {
      return HostileWords.answer(call);
    }
    return switch (call.turns().size()) {
      case 1 -> Answer.calls(Answer.call("read", Map.of("file_path", "Login.java")));
      case 3 ->
          Answer.calls(
              Answer.call(
                  "edit",
                  Map.of(
                      "file_path",
                      "Login.java",
                      "old_string",
                      "  return user;",
                      "new_string",
                      "  return checked(user);")),
              Answer.call(
                  "bash",
                  Map.of(
                      "command",
                      "printf '\\033[31mbroken\\033[0m \\033[1;32mwhole\\033[0m\\n'; exit 3")));
      default -> Answer.says("It is changed.");
    };
  }

  private static String open(Map<String, ?> fields) {
    return service.post("/v1/sessions", fields, 201).get("id").asText();
  }

  private static void say(String session, String text) {
    service.post("/v1/sessions/" + session + "/messages", Map.of("text", text), 202);
  }

  private static void pause(String reason) {
    service.post("/v1/pauses", Map.of("scope", "agent", "name", "plan", "reason", reason), 201);
  }

  private static void openAll(Browser page) {
    page.run(
        """
        document.querySelectorAll('.card-head[aria-expanded=false]').forEach(head => head.click());
        document.querySelectorAll('details').forEach(details => { details.open = true; });
        await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
        """);
  }

  /**
   * What a page contains when its cards and notices are open. Nothing in it may be more than text.
   */
  private static String withEverythingOpen(Browser page) {
    openAll(page);
    assertThat(page.count("main :is(img, script, iframe, svg, style, object, embed)")).isZero();
    assertThat(page.count("main a[href]:not([href^=http], [href^='/console/'])")).isZero();
    assertThat(page.count("main a[target=_blank]:not([rel~=noopener])")).isZero();
    var handlers =
        "[...document.querySelectorAll('*')].flatMap(one => [...one.attributes]).filter(one => one.name.startsWith('on'))";
    assertThat(page.run("return " + handlers + ".length;").asInt()).isZero();
    return content(page);
  }

  private static String content(Browser page) {
    return page.text("main");
  }

  private static String prompt(Browser page) {
    return page.run("return document.querySelector('textarea')?.value ?? '';").asText();
  }
}
