package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.kit.Browser;
import dev.errand.kit.Browser.Key;
import dev.errand.kit.ConsolePage;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.OtherSite;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ErrorStatus;
import dev.errand.kit.StubEndpoint.ModelCall;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Who sees and changes what in the console of a service that asks for keys. */
class ConsoleLoginIT {

  private static final String ADMIN_KEY = "err_root_" + "r00t".repeat(16);
  private static final String BEARER = "Bearer " + ADMIN_KEY;

  /** Five seconds on a machine that does nothing else. */
  private static final Duration REVOKED_WITHIN = Duration.ofSeconds(15);

  @RegisterExtension static final ConsolePage CONSOLE = new ConsolePage();
  @TempDir static Path folder;

  private static final CountDownLatch ENDED = new CountDownLatch(1);

  private static StubEndpoint model;
  private static Service service;
  private static OtherSite pages;
  private static String running;

  @BeforeAll
  static void start() throws IOException {
    model = StubEndpoint.start(new OpenAiStub(), ConsoleLoginIT::answer);
    var environment = new HashMap<>(model.environment());
    environment.put("ERRAND_AUTH", "keys");
    environment.put("ERRAND_ADMIN_KEY", ADMIN_KEY);
    service = Service.start(folder.resolve("home"), environment);
    pages = new OtherSite();
    running = ask("Wait.");
    ask("Fail.");
  }

  @AfterAll
  static void stop() throws Exception {
    ENDED.countDown();
    if (service != null) {
      pages.close();
      service.close();
      model.close();
    }
  }

  /** The first page of a person who is not logged in asks who that is. */
  @BeforeEach
  void logOut() {
    CONSOLE.browser().deleteCookies();
    CONSOLE.expect("401");
  }

  @Test
  void loginLeadsToThePageThatWasOpened() {
    var page = CONSOLE.open(service, running);
    page.awaitText("h1", "Log in");
    assertThat(page.count(".row")).isZero();

    page.type("input[type=password]", "err_no_such_key" + Key.ENTER);
    page.awaitText(".problem[role=alert]", "This key is not valid.");
    page.run("document.querySelector('input[type=password]').select();");
    page.type("input[type=password]", ADMIN_KEY + Key.ENTER);

    page.awaitText(".session-head", running);
    assertThat(path(page)).isEqualTo("/console/" + running);
    assertThat(page.run("return document.cookie;").asText()).isEmpty();
    page.reload();
    page.awaitText(".session-head", running);
  }

  @Test
  void viewerSeesEverythingAndChangesNothing() {
    CONSOLE.expect("403");
    var page = logIn(key("viewer"));
    page.awaitText("[aria-labelledby=attention]", "Fail.");
    assertThat(buttons(page)).isZero();

    CONSOLE.open(service, running);
    page.awaitText(".session-head", running);
    page.awaitText(".row .word", "running");
    assertThat(buttons(page)).isZero();
    var own = "/v1/sessions/" + running;
    for (var path : List.of("/v1/sessions", own + "/cancel", own + "/messages")) {
      assertThat(post(page, path)).isEqualTo(403);
    }
  }

  @Test
  void agentSeesOnlyItsOwnAndMayAsk() {
    CONSOLE.expect("404");
    var page = logIn(key("agent"));
    page.awaitText(".all-well", "Nothing needs you.");
    page.awaitCount("textarea", 1);

    CONSOLE.open(service, running);
    page.awaitText("main", "There is nothing with this id");
  }

  @Test
  void logoutEndsTheLogin() {
    var page = logIn(key("operator"));
    page.awaitCount("textarea", 1);

    page.clickText("Log out");
    page.awaitText("h1", "Log in");
    page.back();
    page.awaitText("h1", "Log in");
    assertThat(page.text("main")).doesNotContain("Needs attention");
    CONSOLE.open(service, running);
    page.awaitText("h1", "Log in");
  }

  @Test
  void revokedKeyEndsThePage() {
    CONSOLE.expect("ERR_INCOMPLETE_CHUNKED_ENCODING");
    for (var id : List.of("", running)) {
      var key = key("operator");
      var page = logIn(key);
      page.awaitCount("textarea", 1);
      CONSOLE.open(service, id);
      page.awaitCount("textarea", 1);

      service.delete("/v1/keys/" + key.split("_")[1], "Authorization", BEARER);
      var revoked = System.nanoTime();
      await().atMost(REVOKED_WITHIN).until(() -> page.text("h1").equals("Log in"));

      System.out.println("Ended after " + Duration.ofNanos(System.nanoTime() - revoked));
      assertThat(page.count(".row, .lines")).isZero();
    }
  }

  /** A page on another port of the same host gets the cookie sent along. */
  @Test
  void pageOfAnotherOriginNeitherLogsInNorChangesNorFrames() {
    var page = logIn(key("operator"));
    page.awaitCount("textarea", 1);
    var sessions = sessions();
    CONSOLE.expect("frame-ancestors|ERR_BLOCKED_BY_RESPONSE|CORS|403|ERR_FAILED");

    for (var host : List.of("127.0.0.1", "evil.example")) {
      page.open(pages.at(host));
      var seen =
          page.run(
                  """
                  const [api, key, path] = args;
                  const send = (path, options) =>
                      fetch(api + path, {method: 'POST', credentials: 'include', ...options})
                          .then(answer => answer.type, () => 'failed');
                  const headers = {Authorization: 'Bearer ' + key};
                  const seen = [
                    await send('/console/login', {headers}),
                    await send('/console/logout', {}),
                    await send('/console/logout', {mode: 'no-cors'}),
                    await send(path, {mode: 'no-cors'}),
                    await send('/v1/sessions', {mode: 'no-cors', body: '{}'}),
                    await send('/v1/sessions', {headers: {'Content-Type': 'application/json'}, body: '{}'}),
                  ];
                  const frame = document.body.appendChild(document.createElement('iframe'));
                  frame.src = api + '/console/';
                  await new Promise(done => { frame.onload = done; });
                  return seen.join(' ');
                  """,
                  service.uri("").toString(),
                  ADMIN_KEY,
                  "/v1/sessions/" + running + "/cancel")
              .asText();

      assertThat(seen).matches("(failed ?|opaque ?){6}");
      assertThat(page.frameText()).doesNotContain("Needs attention", "Log in");
    }

    assertThat(sessions()).isEqualTo(sessions);
    assertThat(
            service.get("/v1/sessions/" + running, "Authorization", BEARER).at("/state").asText())
        .isEqualTo("running");
    CONSOLE.open(service, "");
    page.awaitText("#attention", "Needs attention");
    assertThat(page.run("return (await (await fetch('/v1/me')).json()).role;").asText())
        .isEqualTo("operator");
  }

  private static Answer answer(ModelCall call) throws InterruptedException {
    if (call.prompt().equals("Fail.")) {
      throw new ErrorStatus(401);
    }
    ENDED.await();
    return Answer.says("It ended.");
  }

  private static Browser logIn(String key) {
    var page = CONSOLE.open(service, "login");
    page.type("input[type=password]", key + Key.ENTER);
    page.awaitText("#attention", "Needs attention");
    return page;
  }

  /** What can be pressed, except for what opens a row of the tree. */
  private static int buttons(Browser page) {
    return page.count("main :is(button, a.button, textarea):not(.rows *)");
  }

  private static int post(Browser page, String path) {
    return page.run(
            """
            const headers = {'Content-Type': 'application/json'};
            return (await fetch(args[0], {method: 'POST', headers, body: '{}'})).status;
            """,
            path)
        .asInt();
  }

  private static String key(String role) {
    return asAdmin("/v1/keys", Map.of("name", "a person", "role", role), 201).get("key").asText();
  }

  private static String ask(String text) {
    var id = asAdmin("/v1/sessions", Map.of("kind", "hosted"), 201).get("id").asText();
    asAdmin("/v1/sessions/" + id + "/messages", Map.of("text", text), 202);
    return id;
  }

  private static JsonNode asAdmin(String path, Map<String, ?> body, int expected) {
    return service.post(path, body, expected, "Authorization", BEARER);
  }

  private static int sessions() {
    return service.get("/v1/sessions", "Authorization", BEARER).get("items").size();
  }

  private static String path(Browser page) {
    return page.run("return location.pathname;").asText();
  }
}
