package dev.errand.console;

import static org.awaitility.Awaitility.await;

import dev.errand.kit.Browser;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.ErrorStatus;
import dev.errand.kit.WebhookReceiver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Makes the pictures of the console in {@code docs/images}, with a service, a browser and a
 * scripted model. Run by {@code make shots}. The text has the font that the machine has for {@code
 * system-ui}; those in the repository have Noto Sans (Debian's fonts-noto-core).
 */
@SuppressWarnings("NullAway.Init") // a scene sets its browser and its service first
class ShotsRun {

  private static final Path IMAGES = Path.of(System.getProperty("shots.folder", "docs/images"));
  private static final Duration TIMEOUT = Duration.ofSeconds(90);

  @TempDir Path folder;

  private Browser browser;
  private Service service;

  @Test
  void pictures() throws Exception {
    System.setProperty("java.awt.headless", "true");
    Files.createDirectories(IMAGES);
    var flow = new LoginFlow();
    try (var endpoint = StubEndpoint.start(new PricedWire(), flow::answer);
        var away =
            StubEndpoint.start(
                new OpenAiStub(),
                _ -> {
                  throw new ErrorStatus(503);
                });
        var failing = new WebhookReceiver()) {
      failing.answers(WebhookReceiver.status(500));
      var environment = new HashMap<>(away.environment());
      environment.putAll(endpoint.environment());
      environment.putAll(Shop.in(folder).environment());
      try (var started = Service.start(folder.resolve("home"), environment);
          var opened = Browser.start(folder)) {
        service = started;
        browser = opened;
        shoot(flow, failing);
      }
    }
  }

  /** The process dies in the middle of the work of two subagents, and is started again. */
  @Test
  void film() throws Exception {
    System.setProperty("java.awt.headless", "true");
    try (var endpoint = StubEndpoint.start(new PricedWire(), RescueFlow::answer)) {
      var environment = new HashMap<>(endpoint.environment());
      environment.putAll(Shop.in(folder).environment());
      try (var started = Service.start(folder.resolve("home"), environment);
          var opened = Browser.start(folder)) {
        service = started;
        browser = opened;
        browser.resize(1200, 560, 1);
        FilmWriter.write(record(), IMAGES.resolve("console.gif"));
      }
    }
  }

  private List<FilmWriter.Frame> record() throws Exception {
    var root = ask(Map.of("title", "Who breaks when login() throws?"), RescueFlow.REQUEST);
    open(root);
    sees("find callers of login()");
    var film = Film.of(browser);
    film.says("$ make run");
    awaits("one subagent is done", () -> ended() == 1);
    TimeUnit.MILLISECONDS.sleep(800);
    film.says("$ kill -9 " + service.pid());
    service.kill();
    TimeUnit.MILLISECONDS.sleep(1_500);
    film.says("$ make run");
    service.startAgain();
    sees("Three callers break");
    TimeUnit.MILLISECONDS.sleep(1_500);
    return film.end();
  }

  private long ended() {
    return service.get("/v1/tasks?state=completed").get("items").size();
  }

  private void shoot(LoginFlow flow, WebhookReceiver failing) throws Exception {
    browser.resize(1440, 900, 1);
    open("");
    sees("Nothing needs you");
    picture("empty");
    var root = ask(Map.of("title", "Fix the login flow"), LoginFlow.REQUEST);
    flow.awaitPlanning();
    service.kill();
    service.startAgain();
    troubles(failing);
    open(root);
    sees("waits for 1 subagent", "attempt 3", "review the cookie myself");
    picture("workspace");
    attention();
    failed();
    transcript();
    phone(root);
  }

  private void troubles(WebhookReceiver failing) {
    ask(Map.of("title", "Explain how releases are made"), "How are releases made here?");
    ask(Map.of("title", "Upgrade the payment library"), Shop.REFUSED);
    ask(Map.of("title", "Translate the error messages", "model", "openai:gpt-5.5"), "Translate.");
    var external =
        service.post(
            "/v1/sessions",
            Map.of(
                "kind",
                "external",
                "title",
                "Nightly checks",
                "callback",
                Map.of("url", failing.url())),
            201);
    service.post(
        "/v1/tasks",
        Map.of(
            "parent_session_id", external.get("id").asText(),
            "description", "check the licences of new libraries",
            "prompt", "Check the licences.",
            "subagent_type", "explore",
            "background", true),
        202);
    service.post(
        "/v1/pauses",
        Map.of("scope", "agent", "name", "bash", "reason", "the build machine gets a new disk"),
        201);
  }

  private void attention() throws IOException {
    open("");
    sees("model away", "paused", "failed", "dead letter");
    picture("attention");
  }

  private void failed() throws IOException {
    choose("review the session cookie");
    sees("I start with the place", "resumed");
    picture("failed");
  }

  private void transcript() throws IOException {
    choose("repair login() for unknown users");
    sees("session ends with the password");
    browser.run(
        """
        [...document.querySelectorAll('.card-head')].find(head => head.textContent.includes('edit')).click();
        """);
    sees("throw new UnknownUser");
    picture("transcript");
  }

  private void phone(String root) throws IOException {
    browser.resize(390, 844, 2);
    open(root);
    sees("waits for 1 subagent");
    awaits("bars", () -> browser.count(".bar.model") > 10);
    picture("phone");
  }

  /** Opens the conversation of the subagent with this description. */
  private void choose(String description) {
    var task =
        service
            .get("/v1/tasks?limit=50")
            .get("items")
            .valueStream()
            .filter(item -> item.get("description").asText().equals(description))
            .findFirst()
            .orElseThrow();
    open(task.get("session_id").asText());
  }

  private String ask(Map<String, ?> fields, String text) {
    var id = service.post("/v1/sessions", fields, 201).get("id").asText();
    service.post("/v1/sessions/" + id + "/messages", Map.of("text", text), 202);
    return id;
  }

  private void open(String id) {
    browser.open(service.uri("/console/" + id).toString());
  }

  private void sees(String... texts) {
    for (var text : texts) {
      awaits(text, () -> browser.run("return document.body.innerText;").asText().contains(text));
    }
  }

  private static void awaits(String what, BooleanSupplier condition) {
    await(what).atMost(TIMEOUT).pollInterval(Duration.ofMillis(200)).until(condition::getAsBoolean);
  }

  /** Writes the page in both themes. */
  private void picture(String name) throws IOException {
    for (var theme : List.of("light", "dark")) {
      browser.prefer(theme);
      browser.run(
          "await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));");
      var shot = ImageIO.read(new ByteArrayInputStream(browser.screenshot()));
      var file = IMAGES.resolve("console-" + name + "-" + theme + ".png");
      ImageIO.write(Palette.of(List.of(shot)).apply(shot), "png", file.toFile());
    }
    browser.prefer("light");
  }
}
