package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.Browser;
import dev.errand.kit.Browser.Key;
import dev.errand.kit.ConsolePage;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Service;
import dev.errand.kit.ServiceAddress;
import dev.errand.kit.ServiceAddress.Fault;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A question that a person asks in the console is asked once, whatever happens to the answer. */
class ConsoleAskIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @RegisterExtension static final ConsolePage CONSOLE = new ConsolePage();
  @TempDir static Path folder;

  private static StubEndpoint model;
  private static Service service;
  private static ServiceAddress address;

  @BeforeAll
  static void start() throws IOException {
    model = StubEndpoint.start(new OpenAiStub(), _ -> Answer.says("Said."));
    service = Service.start(folder.resolve("home"), model.environment());
    address = new ServiceAddress();
    address.add(service.port());
  }

  @AfterAll
  static void stop() throws Exception {
    if (service != null) {
      address.close();
      service.close();
      model.close();
    }
  }

  /** A browser repeats a request by itself when its connection ended without an answer. */
  @ParameterizedTest
  @CsvSource({
    "POST /v1/sessions HTTP,LOST",
    "POST /v1/sessions HTTP,TORN",
    "/messages HTTP,LOST",
    "/messages HTTP,TORN"
  })
  void questionWhoseAnswerWasCutIsAskedOnce(String request, Fault fault) {
    var question = "Say it: %s %s".formatted(request.length(), fault);
    var page = openAtAddress("");
    if (fault == Fault.TORN) {
      CONSOLE.expect("net::ERR_");
    }

    address.spoilAnswerTo(request, fault);
    page.type("textarea", question + Key.ENTER);
    if (fault == Fault.TORN) {
      page.awaitText(".problem[role=alert]", "cut off");
      assertThat(page.run("return document.querySelector('textarea').value;").asText())
          .isEqualTo(question);
      page.clickText("Retry");
    }

    page.awaitText(".conversation", "Said.");
    assertThat(roots(question)).hasSize(1);
    var session = path(page).substring("/console/".length());
    assertThat(roots(question)).containsExactly(session);
    assertThat(SessionProbe.roles(service, session)).containsExactly("user", "assistant");
    assertThat(page.count(".message.user")).isEqualTo(1);
  }

  @Test
  void pageThatIsReloadedWhileItAsksShowsTheQuestionOnce() {
    var question = "Say it after a reload.";
    var page = openAtAddress("");

    address.spoilAnswerTo("/messages HTTP", Fault.HELD);
    page.type("textarea", question + Key.ENTER);
    await().atMost(TIMEOUT).until(() -> roots(question).size() == 1);
    page.reload();
    page.clickText(question);

    page.awaitText(".conversation", "Said.");
    assertThat(page.count(".message.user")).isEqualTo(1);
    assertThat(roots(question)).hasSize(1);
  }

  @Test
  void runAgainOpensARootWithTheSamePrompt() {
    var first = ask("Say it again.");
    var page = CONSOLE.open(service, first);
    page.awaitText(".conversation", "Said.");

    page.clickText("Run again");
    await()
        .atMost(TIMEOUT)
        .until(() ->
            page.run("return document.querySelector('textarea')?.value;")
                .asText()
                .equals("Say it again."));
    page.type("textarea", Key.ENTER);

    await().atMost(TIMEOUT).until(() -> path(page).startsWith("/console/ses_"));
    page.awaitText(".conversation", "Said.");
    assertThat(path(page)).isNotEqualTo("/console/" + first);
    assertThat(roots("Say it again.")).hasSize(2);
  }

  private static Browser openAtAddress(String path) {
    CONSOLE.browser().open(address.uri("/console/" + path).toString());
    return CONSOLE.browser();
  }

  private static String ask(String text) {
    var root = service.post("/v1/sessions", Map.of("kind", "hosted"), 201).get("id").asText();
    service.post("/v1/sessions/" + root + "/messages", Map.of("text", text), 202);
    return root;
  }

  private static String path(Browser page) {
    return page.run("return location.pathname;").asText();
  }

  /** The ids of the roots with this first message. */
  private static List<String> roots(String opening) {
    return service.items("/v1/sessions?roots=true", "cursor").stream()
        .filter(session -> opening.equals(session.path("opening").asText()))
        .map(session -> session.get("id").asText())
        .toList();
  }
}
