package dev.errand.api;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.TaskId;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

@QuarkusTest
class StatsDbTest implements Story {

  @Inject TaskKit kit;

  @Test
  void countsAndRatesMatchTheRows() {
    var parent = kit.externalSession();
    kit.child("dig here", model -> model.says("gold"));
    kit.child("dig there", model -> model.says("silver"));
    kit.child(
        "dig on",
        model -> model.saysAndCalls("stones", Call.of("list", Map.of())).says("").says(""));
    var lately = kit.submit(parent, "dig here");
    var longAgo = kit.submit(parent, "dig there");
    kit.submit(parent, "dig on");
    kit.awaitRest(parent);
    endedBefore(lately, Duration.ofMinutes(6));
    endedBefore(longAgo, Duration.ofMinutes(61));

    await("nothing changes between the answer and the queries")
        .untilAsserted(this::assertStatsMatchTheRows);
  }

  private void assertStatsMatchTheRows() {
    var stats = stats();

    assertThat(number("tasks.completed", stats).longValue())
        .isEqualTo(count("task where state = 'completed'"));
    assertThat(number("sessions.idle", stats).longValue())
        .isEqualTo(count("session where state = 'idle'"));
    assertThat(number("deliveries.delivered", stats).longValue())
        .isEqualTo(count("outbox where state = 'delivered'"));
    assertThat(number("success_rate.5m", stats).doubleValue())
        .isEqualTo(share("5 minutes"), within(1e-6));
    assertThat(number("success_rate.1h", stats).doubleValue())
        .isEqualTo(share("1 hour"), within(1e-6));
    assertThat(number("success_rate.24h", stats).doubleValue())
        .isEqualTo(share("24 hours"), within(1e-6));
    var today =
        "from tenant_day where tenant = 'default' and day = (now() at time zone 'utc')::date";
    assertThat(number("today.tokens", stats).longValue())
        .isPositive()
        .isEqualTo(kit.row("select sum(tokens) " + today, Long.class));
    assertThat(number("today.cost", stats).doubleValue())
        .isEqualTo(kit.row("select sum(cost) / 1e6 " + today, Double.class), within(1e-3));
    assertThat(number("queue_wait_seconds.p50", stats).doubleValue())
        .isBetween(0.0, number("queue_wait_seconds.p95", stats).doubleValue());
    assertThat(Instant.parse(stats.<String>path("counted_at")))
        .isAfter(Instant.now().minusSeconds(60));
  }

  /** With few rows, no answer is older than the request. */
  @Test
  void smallCountsAreCurrent() {
    var before = completed();
    var parent = kit.externalSession();
    kit.child("dig", model -> model.says("gold"));
    kit.submit(parent, "dig");
    kit.awaitRest(parent);

    assertThat(completed()).isGreaterThan(before);
  }

  /** A state without tasks is not in the answer. */
  private static int completed() {
    return stats().<Map<String, Integer>>path("tasks").getOrDefault("completed", 0);
  }

  private static Number number(String path, HttpAnswer stats) {
    return stats.path(path);
  }

  private static HttpAnswer stats() {
    return given().get("/v1/stats").then().statusCode(200);
  }

  private void endedBefore(TaskId task, Duration age) {
    kit.tamper(
        "update task set ended_at = ended_at - ? * interval '1 second' where id = ?",
        age.toSeconds(),
        task.value());
  }

  private long count(String rows) {
    return kit.row("select count(*) from " + rows, Long.class);
  }

  private double share(String window) {
    return kit.row(
        """
        select count(*) filter (where state = 'completed' and stop_reason <> 'no_answer')::float8 / count(*)
        from task where state in ('completed', 'failed', 'timed_out') and ended_at > now() - interval '%s'
        """
            .formatted(window),
        Double.class);
  }
}
