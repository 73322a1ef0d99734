package dev.errand.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * A real Prometheus that scrapes services every second and evaluates the rules of the deploy
 * folder.
 */
public final class Prometheus implements AutoCloseable {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private static final String CONFIG =
      """
      global: {scrape_interval: 1s, evaluation_interval: 1s}
      rule_files: ["%s/*.yaml"]
      scrape_configs:
        - job_name: errand
          metrics_path: /q/metrics
          static_configs: [{targets: [%s]}]
      """;

  private final HttpClient http = HttpClient.newHttpClient();
  private final int port;
  private final Process process;

  private Prometheus(Path home, int... servicePorts) throws IOException {
    var rules = Path.of("deploy/prometheus/rules").toAbsolutePath();
    var config = home.resolve("prometheus.yml");
    var targets =
        Arrays.stream(servicePorts)
            .mapToObj(servicePort -> "\"127.0.0.1:" + servicePort + "\"")
            .collect(Collectors.joining(", "));
    Files.writeString(config, CONFIG.formatted(rules, targets));
    port = Ports.free();
    process =
        Program.start(
            new ProcessBuilder(
                    "prometheus",
                    "--config.file=" + config,
                    "--storage.tsdb.path=" + home.resolve("data"),
                    "--web.listen-address=127.0.0.1:" + port)
                .redirectErrorStream(true)
                .redirectOutput(home.resolve("prometheus.log").toFile()));
  }

  /** Starts Prometheus and waits until it has scraped each service twice. */
  public static Prometheus start(Path home, int... servicePorts) throws IOException {
    var prometheus = new Prometheus(home, servicePorts);
    await()
        .atMost(Duration.ofSeconds(60))
        .ignoreExceptions()
        .until(() -> prometheus.value("min(sum_over_time(up[1m]))") >= 2);
    return prometheus;
  }

  /** The current series of an expression, each {@code {metric, value: [time, text]}}. */
  public JsonNode query(String expression) {
    var encoded = URLEncoder.encode(expression, StandardCharsets.UTF_8);
    return get("/api/v1/query?query=" + encoded).get("result");
  }

  /**
   * The series of an expression in a time range, each {@code {metric, values: [[time, text], …]}}.
   */
  public JsonNode range(String expression, Instant from, Instant to) {
    var encoded = URLEncoder.encode(expression, StandardCharsets.UTF_8);
    var span = "&start=" + from.getEpochSecond() + "&end=" + to.getEpochSecond() + "&step=1";
    return get("/api/v1/query_range?query=" + encoded + span).get("result");
  }

  /** The value of an expression with one series; NaN when there is none. */
  public double value(String expression) {
    var result = query(expression);
    return result.isEmpty() ? Double.NaN : result.get(0).get("value").get(1).asDouble();
  }

  /** The rule groups with the state of their last evaluation. */
  public JsonNode ruleGroups() {
    return get("/api/v1/rules").get("groups");
  }

  private JsonNode get(String path) {
    var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build();
    try {
      var response = http.send(request, HttpResponse.BodyHandlers.ofString());
      assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
      return JSON.readTree(response.body()).get("data");
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    process.waitFor();
  }
}
