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
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A process of chromedriver with one session (W3C WebDriver). */
final class WebDriver implements AutoCloseable {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final int SCRIPT_LIMIT_MS = 120_000;

  private final HttpClient http = HttpClient.newHttpClient();
  private final Process driver;
  private final String session;

  WebDriver(Path folder) throws IOException {
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

  private static Object capabilities(Path profile) {
    var arguments =
        List.of(
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--window-size=1440,900",
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
            Map.of("browser", "ALL", "performance", "ALL"),
            "goog:chromeOptions",
            Map.of("args", arguments));
    return Map.of("capabilities", Map.of("alwaysMatch", wanted));
  }

  /** The URL of the session, to which commands are appended. */
  String session() {
    return session;
  }

  /** Sends a command and returns its value. */
  JsonNode send(String method, String url, @Nullable Object body) {
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
