package dev.errand.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Chromium without windows, driven by its chromedriver (W3C WebDriver). Every name that ends in
 * {@code .example} is this machine.
 */
public final class Browser implements AutoCloseable {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final int SCRIPT_LIMIT_MS = 120_000;

  private final HttpClient http = HttpClient.newHttpClient();
  private final Process driver;
  private final String session;

  private Browser(Path folder) throws IOException {
    var port = Ports.free();
    driver =
        Program.start(
            new ProcessBuilder("chromedriver", "--port=" + port)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("chromedriver.log").toFile()));
    var url = "http://127.0.0.1:" + port;
    await()
        .atMost(START_LIMIT)
        .ignoreExceptions()
        .until(() -> send("GET", url + "/status", null).get("ready").asBoolean());
    var started = send("POST", url + "/session", capabilities(folder.resolve("profile")));
    session = url + "/session/" + started.get("sessionId").asText();
  }

  /**
   * Starts a browser with an empty profile in this folder. Without chromedriver the test is skipped
   * or fails, see {@link Program}.
   */
  public static Browser start(Path folder) throws IOException {
    return new Browser(folder);
  }

  private static Object capabilities(Path profile) {
    var arguments =
        List.of(
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-quic",
            "--disable-sync",
            "--disable-component-update",
            "--disable-background-networking",
            "--no-first-run",
            "--host-resolver-rules=MAP *.example 127.0.0.1",
            "--user-data-dir=" + profile);
    var wanted =
        Map.of(
            "browserName",
            "chrome",
            "timeouts",
            Map.of("script", SCRIPT_LIMIT_MS),
            "goog:loggingPrefs",
            Map.of("browser", "ALL"),
            "goog:chromeOptions",
            Map.of("args", arguments));
    return Map.of("capabilities", Map.of("alwaysMatch", wanted));
  }

  /** Opens a page, as if its address was typed. */
  public void open(String url) {
    send("POST", session + "/url", Map.of("url", url));
  }

  /**
   * Runs the body of an asynchronous function in the page and returns its result; an exception of
   * the function is returned as its text.
   */
  public JsonNode run(String body, Object... arguments) {
    var script =
        """
        const done = arguments[arguments.length - 1];
        (async (...args) => {%s})(...arguments).then(done, fault => done(String(fault)));
        """
            .formatted(body);
    return send(
        "POST", session + "/execute/async", Map.of("script", script, "args", List.of(arguments)));
  }

  /**
   * Returns what pages have written to the console since the last call: messages, errors, reports
   * of their security policy, and requests that failed.
   */
  public List<String> messages() {
    return send("POST", session + "/se/log", Map.of("type", "browser"))
        .valueStream()
        .map(entry -> entry.get("level").asText() + " " + entry.get("message").asText())
        .toList();
  }

  /**
   * Gives pages a window of this size in CSS pixels.
   *
   * @param density device pixels of a CSS pixel
   */
  public void resize(int width, int height, int density) {
    var size =
        Map.of("width", width, "height", height, "deviceScaleFactor", density, "mobile", false);
    developerTools("Emulation.setDeviceMetricsOverride", size);
  }

  /** The colours that pages are to use: light or dark. */
  public void prefer(String theme) {
    var features = List.of(Map.of("name", "prefers-color-scheme", "value", theme));
    developerTools("Emulation.setEmulatedMedia", Map.of("features", features));
  }

  /** What is seen of the page, as PNG. */
  public byte[] screenshot() {
    return Base64.getDecoder()
        .decode(developerTools("Page.captureScreenshot", Map.of()).get("data").asText());
  }

  /** Presses keys one after the other: characters, or codes of WebDriver such as Tab, U+E004. */
  public void press(String keys) {
    var actions =
        keys.codePoints()
            .mapToObj(Character::toString)
            .flatMap(key -> Stream.of("keyDown", "keyUp").map(type -> Map.of("type", type, "value", key)))
            .toList();
    var keyboard = Map.of("type", "key", "id", "keyboard", "actions", actions);
    send("POST", session + "/actions", Map.of("actions", List.of(keyboard)));
  }

  private JsonNode developerTools(String command, Map<String, ?> parameters) {
    return send(
        "POST", session + "/goog/cdp/execute", Map.of("cmd", command, "params", parameters));
  }

  private JsonNode send(String method, String url, @Nullable Object body) {
    var content =
        body == null
            ? BodyPublishers.noBody()
            : BodyPublishers.ofString(JSON.valueToTree(body).toString());
    var request = HttpRequest.newBuilder(URI.create(url)).method(method, content).build();
    try {
      var answer = http.send(request, BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      return JSON.readTree(answer.body()).get("value");
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    } catch (InterruptedException exception) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(exception);
    }
  }

  @Override
  public void close() throws InterruptedException {
    send("DELETE", session, null);
    driver.destroy();
    driver.waitFor();
    http.shutdownNow();
  }
}
