package dev.errand.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Prometheus;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Runs a mixed load with failures on two nodes for some minutes, observed by a real Prometheus: it
 * draws each dashboard into {@code target/dashboards} and compares the success rate of the
 * recording rule with that of the rows. Run by {@code make dashboards}.
 */
class DashboardRun {

  private static final Path PICTURES = Path.of("target/dashboards");
  private static final Path PRICES = Path.of("target/dashboards-prices.yaml").toAbsolutePath();
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private final Duration length = Duration.ofSeconds(Integer.getInteger("dashboards.seconds", 300));
  private final MixedLoad load = new MixedLoad();

  @Test
  void dashboardsHaveDataAndTheRecordedSuccessRateIsCorrect() throws Exception {
    System.setProperty("java.awt.headless", "true");
    var home = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "dashboards-");
    Files.writeString(PRICES, "\"openai:*\": {input: 2, output: 10}\n");
    try (load;
        var endpoint = StubEndpoint.start(new OpenAiStub(), load::answer);
        var first = Service.start(home.resolve("first"), environment(endpoint));
        var second = Service.start(home.resolve("second"), sharedEnvironment(first, endpoint));
        var prometheus = Prometheus.start(home, first.port(), second.port())) {
      var start = Instant.now();
      load.start(first);
      var killedAt = injectFailures(second);
      load.stop();
      awaitRest(first, prometheus);
      report(first, prometheus, start, killedAt);
    }
  }

  private static Map<String, String> environment(StubEndpoint endpoint) {
    var environment = new HashMap<>(endpoint.environment());
    environment.put("ERRAND_MODEL_RETRY_FIRST_DELAY", "200ms");
    environment.put("ERRAND_TASK_RETRY_FIRST_DELAY", "500ms");
    environment.put("ERRAND_WEBHOOKS_ALLOW_PRIVATE", "true");
    environment.put("ERRAND_WEBHOOKS_SCHEDULE", "0s,1s,2s");
    environment.put("ERRAND_PRICES_FILE", PRICES.toString());
    return environment;
  }

  private static Map<String, String> sharedEnvironment(Service first, StubEndpoint endpoint)
      throws IOException {
    var environment = new HashMap<>(environment(endpoint));
    environment.put("ERRAND_DB_URL", first.databaseUrl());
    environment.put("ERRAND_DB_USER", Service.DATABASE_USER);
    environment.put("ERRAND_DB_PASSWORD", first.databasePassword());
    return environment;
  }

  /**
   * Kills a node after two fifths of the time and makes the model unavailable for some time after
   * four fifths.
   */
  private Instant injectFailures(Service node) throws IOException, InterruptedException {
    var fifth = length.dividedBy(5);
    Thread.sleep(fifth.multipliedBy(2));
    var killedAt = Instant.now();
    node.kill();
    Thread.sleep(fifth.dividedBy(3));
    node.startAgain();
    Thread.sleep(fifth);
    load.setModelUnavailable(true);
    Thread.sleep(fifth.dividedBy(4));
    load.setModelUnavailable(false);
    Thread.sleep(fifth);
    return killedAt;
  }

  /** Waits until all tasks have ended and Prometheus has scraped that state. */
  private static void awaitRest(Service service, Prometheus prometheus) {
    await()
        .atMost(TIMEOUT)
        .until(() -> {
          var stats = service.get("/v1/stats");
          return stats.at("/tasks/pending").asInt() + stats.at("/tasks/running").asInt() == 0
              && stats.at("/sessions/queued").asInt() + stats.at("/sessions/running").asInt() == 0;
        });
    var later = Instant.now().plusSeconds(3);
    await()
        .atMost(TIMEOUT)
        .until(() -> prometheus.value("min(timestamp(up))") > later.getEpochSecond());
  }

  private static void report(
      Service service, Prometheus prometheus, Instant start, Instant killedAt) throws IOException {
    var end = Instant.now();
    var empty = new ArrayList<String>();
    for (var dashboard : Dashboards.all()) {
      var picture = DashboardPicture.of(dashboard, prometheus, start, end);
      picture.write(PICTURES);
      picture.empty().forEach(panel -> empty.add(picture.name() + ": " + panel));
    }
    var lines = new SuccessCheck(prometheus, service.database(), killedAt).lines(start, end);
    print(lines, empty);
    assertThat(lines).allMatch(SuccessCheck.Line::isTrue);
    assertThat(empty).as("panels without data").isEmpty();
  }

  private static void print(List<SuccessCheck.Line> lines, List<String> empty) {
    System.out.println(SuccessCheck.HEAD);
    lines.forEach(System.out::println);
    System.out.println("panels without data: " + (empty.isEmpty() ? "none" : empty));
    System.out.println("pictures: " + PICTURES.toAbsolutePath());
  }
}
