package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.Browser;
import dev.errand.kit.ConsolePage;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ErrorStatus;
import dev.errand.kit.StubEndpoint.ModelCall;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** How the console shows words that it did not write: those of models, tools, users and clients. */
class ConsoleWordsIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  /** Places that {@link #hostile} was asked for. */
  private static final Set<String> PLACES = ConcurrentHashMap.newKeySet();

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

  /** Text that would run, load, or hide something if it became anything but text. */
  private static String hostile(String place) {
    PLACES.add(place);
    return "%"
        + place
        + "% <img src=x onerror=hit()> \u202Egpj.exe\u202C\u200B<script>hit()</script>";
  }

  @Test
  void hostileWordsInManyPlacesStayWords() throws IOException {
    Files.writeString(workspace.resolve("lines.txt"), hostile("line of a file") + "\n");
    Files.writeString(workspace.resolve("%name of a file% <img src=x onerror=hit()>"), "");
    var root = open(Map.of("title", hostile("title"), "kind", "hosted"));
    say(root, hostile("message of a user"));
    var failed = open(Map.of("kind", "hosted"));
    say(failed, "Fail. " + hostile("opening"));
    pause(hostile("reason of a pause"));
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

    var missing = new TreeSet<>(PLACES);
    missing.removeIf(place -> seen.indexOf("%" + place + "%") >= 0);
    assertThat(missing).as("places that no page shows").isEmpty();
    assertThat(PLACES).hasSizeGreaterThanOrEqualTo(40);
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
    var prompt = call.prompt();
    if (prompt.startsWith("Fail. ")) {
      throw new ErrorStatus(
          400, "{\"error\":{\"message\":\"%s\"}}".formatted(hostile("error of a model")));
    }
    if (prompt.contains("%prompt%")) {
      return Answer.says(hostile("answer of a child"));
    }
    if (prompt.contains("%prompt in the background%")) {
      return Answer.says(hostile("answer in the background"));
    }
    var turn = call.turns().stream().filter(message -> message.role().equals("assistant")).count();
    return prompt.equals("Change it.") ? change((int) turn) : words((int) turn);
  }

  private static Answer change(int turn) {
    return switch (turn) {
      case 0 -> Answer.calls(Answer.call("read", Map.of("file_path", "Login.java")));
      case 1 ->
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

  private static Answer words(int turn) {
    return switch (turn) {
      case 0 -> new Answer(everyKindOfMarkdown(), List.of(bash()));
      case 1 ->
          Answer.calls(
              Answer.call("read", Map.of("file_path", "lines.txt")),
              Answer.call("list", Map.of()),
              Answer.call("grep", Map.of("pattern", hostile("pattern"))),
              Answer.call("read", Map.of("file_path", hostile("path of a file"))),
              Answer.call(
                  "write", Map.of("file_path", "new.txt", "content", hostile("new content"))),
              Answer.call(
                  "no_such_tool", Map.of(hostile("name of an argument"), hostile("argument"))));
      case 2 ->
          Answer.calls(
              Answer.call(
                  "edit",
                  Map.of(
                      "file_path",
                      "lines.txt",
                      "old_string",
                      hostile("line of a file"),
                      "new_string",
                      hostile("changed line"))),
              Answer.call(
                  "task",
                  Map.of("description", hostile("description"), "prompt", hostile("prompt"))),
              Answer.call(
                  "task",
                  Map.of(
                      "description",
                      hostile("description in the background"),
                      "prompt",
                      hostile("prompt in the background"),
                      "background",
                      true)),
              Answer.call(
                  "task",
                  Map.of(
                      "description",
                      "x",
                      "prompt",
                      "x",
                      "subagent_type",
                      hostile("unknown agent"))));
      default -> Answer.says(hostile("last answer"));
    };
  }

  /** A command that runs until the page has shown what it wrote. */
  private static StubEndpoint.Call bash() {
    return Answer.call(
        "bash",
        Map.of(
            "command",
            "cat <<'END'\n%s\nEND\nuntil [ -e seen ]; do sleep 0.1; done"
                .formatted(hostile("output while it runs"))));
  }

  private static String everyKindOfMarkdown() {
    return String.join(
        "\n\n",
        "# " + hostile("heading"),
        hostile("paragraph"),
        "**"
            + hostile("strong")
            + "** *"
            + hostile("emphasis")
            + "* ~~"
            + hostile("deleted")
            + "~~",
        "`" + hostile("code span") + "`",
        "```html\n" + hostile("code block") + "\n```",
        "    " + hostile("indented code"),
        "* " + hostile("item") + "\n  * " + hostile("nested item"),
        "- [x] " + hostile("task item"),
        "1. " + hostile("numbered item"),
        "> " + hostile("quotation"),
        "| " + hostile("head of a column") + " |\n|---|\n| " + hostile("cell") + " |",
        "[" + hostile("text of a link") + "](javascript:hit())",
        "[x](http://evil.example/" + plain("address of a link") + ")",
        "!["
            + hostile("text of an image")
            + "](http://evil.example/"
            + plain("address of an image")
            + ".png)",
        "[" + hostile("text of a reference") + "][r]\n\n[r]: data:text/html,<script>hit()</script>",
        "<div onclick=hit()>" + hostile("HTML") + "</div>",
        "<http://evil.example/" + plain("bare address") + ">",
        "<iframe srcdoc='<script>hit()</script>'></iframe>",
        "<svg onload=hit()><style>@import 'http://evil.example/x.css';</style></svg>");
  }

  /** A place for characters that addresses may contain. */
  private static String plain(String place) {
    var marker = place.replace(' ', '-');
    PLACES.add(marker);
    return "%" + marker + "%";
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
