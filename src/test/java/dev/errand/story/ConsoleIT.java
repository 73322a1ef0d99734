package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.kit.Browser;
import dev.errand.kit.ConsolePage;
import dev.errand.kit.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What a person sees in the console of a service as {@code make demo} starts it. */
class ConsoleIT {

  private static final String QUESTION = "Where is the delay before a retry computed?";

  @RegisterExtension static final ConsolePage CONSOLE = new ConsolePage();
  @TempDir static Path folder;

  private static Service service;

  @BeforeAll
  static void start() throws IOException {
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
  }

  @Test
  void treeGrowsUntilTheAnswerArrives() {
    var page = CONSOLE.open(service, "");
    page.type("textarea", QUESTION + Browser.Key.ENTER);

    page.awaitCount(".row", 2);
    page.awaitCount(".cap.completed", 1);
    page.awaitText(".conversation", "arrived");
    page.awaitText(".conversation", "retry.txt");
    assertThat(path(page)).startsWith("/console/ses_");
    assertThat(page.count(".bars .mark-notice")).isEqualTo(1);
    assertThat(page.text("[role=status]")).isEqualTo("● live");
    assertThat(page.text(".head .state")).contains("at rest");
  }

  @Test
  void everyIdHasAPageThatSurvivesReloadBackAndAFreshBrowser() throws Exception {
    var task = task("find it");
    var child = service.get("/v1/tasks/" + task).get("session_id").asText();
    var root = service.get("/v1/sessions/" + child).get("root_id").asText();
    var page = CONSOLE.browser();

    try (var fresh = ConsolePage.fresh()) {
      for (var id : List.of(task, child, root)) {
        var shown = id.equals(root) ? root : child;
        CONSOLE.open(service, id);
        page.awaitText(".session-head", shown);
        page.awaitText(".row.selected", id.equals(root) ? "" : "find it");
        page.reload();
        page.awaitText(".session-head", shown);
        page.clickText("▣ Errand");
        page.awaitText("#attention", "Needs attention");
        page.back();
        page.awaitText(".session-head", shown);
        assertThat(path(page)).isEqualTo("/console/" + id);

        fresh.open(service.uri("/console/" + id).toString());
        fresh.awaitText(".session-head", shown);
        assertThat(fresh.messages()).isEmpty();
      }
    }
  }

  @Test
  void unknownIdIsSaidInsideThePage() {
    CONSOLE.expect("404");

    var page = CONSOLE.open(service, "ses_00000000000070008000000000000000");

    page.awaitText("main", "There is nothing with this id");
  }

  @Test
  void filterShowsMatchingAgentsAndWhatContainsThem() {
    var page = CONSOLE.open(service, task("count the boats"));
    page.awaitCount(".row", 2);

    page.type("input[type=search]", "no such words");
    page.awaitCount(".row", 1);
    page.run("document.querySelector('input[type=search]').select();");
    page.type("input[type=search]", "boats");
    page.awaitCount(".row", 2);
  }

  /** Shows that the other tests can fail. */
  @Test
  void messagesAndForeignRequestsOfAPageAreSeen() throws Exception {
    var foreign = "http://other.example:1/";
    try (var page = ConsolePage.fresh()) {
      page.open(service.uri("/console/").toString());
      page.awaitText("#attention", "Needs attention");

      page.run("fetch(args[0]).catch(() => null);", foreign);
      page.run("document.body.append(Object.assign(new Image(), {src: args[0]}));", foreign);
      page.run("setTimeout(() => { throw new Error('of the page'); });");
      page.run("console.log('a word');");

      assertThat(page.messages())
          .anyMatch(message -> message.contains("connect-src"))
          .anyMatch(message -> message.contains("img-src"))
          .anyMatch(message -> message.contains("of the page"))
          .anyMatch(message -> message.contains("a word"));
      assertThat(page.foreignRequests()).containsOnly(foreign);
    }
  }

  /** The id of a task of a root of its own. */
  private static String task(String description) {
    return service
        .post(
            "/v1/tasks",
            Map.of(
                "description",
                description,
                "prompt",
                QUESTION,
                "subagent_type",
                "explore",
                "background",
                true),
            202)
        .at("/metadata/task_id")
        .asText();
  }

  private static String path(Browser page) {
    return page.run("return location.pathname;").asText();
  }
}
