package dev.errand.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.kit.Prometheus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import org.jdbi.v3.core.Jdbi;

/**
 * Compares the success rate of the recording rule with that of the rows, for each agent.
 *
 * <p>The two can differ for two reasons. A killed process loses the counts since its last scrape,
 * so tasks that ended shortly before the kill may be counted or not. And the rule covers five
 * minutes from scrape to scrape, so tasks that ended at the edge of this window may be included or
 * not. The value of the rule must lie between the worst and the best case, and {@code rate} may
 * extrapolate a series by one scrape at each end.
 */
final class SuccessCheck {

  private static final Duration WINDOW = Duration.ofMinutes(5);
  private static final Duration SCRAPE = Duration.ofSeconds(1);
  private static final String ENDED = "errand_tasks_ended_total";
  private static final double EXTRAPOLATION = 2.0 * SCRAPE.toMillis() / WINDOW.toMillis();

  private final Prometheus prometheus;
  private final Jdbi jdbi;
  private final Instant killedAt;

  SuccessCheck(Prometheus prometheus, Jdbi jdbi, Instant killedAt) {
    this.prometheus = prometheus;
    this.jdbi = jdbi;
    this.killedAt = killedAt;
  }

  private record End(String agent, String outcome, Instant at) {}

  /**
   * The comparison for one agent.
   *
   * @param ended the number of tasks that ended without being cancelled, by the rows
   * @param counted the same by the counters
   * @param around the number of tasks that ended so close to the kill that their counts may be lost
   * @param actual the share of successes in the window, by the rows
   * @param rule the same by the rule
   * @param least the lowest valid value of the rule
   * @param most the highest valid value of the rule
   */
  record Line(
      String agent,
      long ended,
      long counted,
      long around,
      double actual,
      double rule,
      double least,
      double most) {

    boolean isTrue() {
      return ended - around <= counted && counted <= ended && least <= rule && rule <= most;
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%-10s %6d %8d %6d   %.4f  %.4f   %.4f – %.4f  %s",
          agent,
          ended,
          counted,
          around,
          actual,
          rule,
          least,
          most,
          isTrue() ? "true" : "BROKEN");
    }
  }

  static final String HEAD =
      "agent       ended  counted   kill   actual    rule   valid range      ";

  List<Line> lines(Instant begin, Instant now) {
    var ends = new TreeMap<String, List<End>>();
    ends().forEach(end -> ends.computeIfAbsent(end.agent(), _ -> new ArrayList<>()).add(end));
    return ends.entrySet().stream()
        .map(entry -> line(entry.getKey(), entry.getValue(), begin, now))
        .toList();
  }

  private Line line(String agent, List<End> ends, Instant begin, Instant now) {
    var edge = now.minus(WINDOW);
    var window =
        ends.stream().filter(end -> end.at().isAfter(edge.minus(SCRAPE.multipliedBy(2)))).toList();
    var doubtful = window.stream().filter(end -> isAroundKill(end) || isNear(end, edge)).toList();
    var certain = window.stream().filter(end -> !doubtful.contains(end)).toList();
    var good = successes(certain);
    var all = certain.size();
    var maybeGood = successes(doubtful);
    var maybeBad = doubtful.size() - maybeGood;
    return new Line(
        agent,
        ends.size(),
        Math.round(counted(agent, begin, now)),
        ends.stream().filter(this::isAroundKill).count(),
        (double) successes(window) / window.size(),
        prometheus.value("agent:errand_task_success:ratio_rate5m{agent=\"" + agent + "\"}"),
        good / (double) (all + maybeBad) * (1 - EXTRAPOLATION),
        (good + maybeGood) / (double) (all + maybeGood) * (1 + EXTRAPOLATION));
  }

  /**
   * From the scrape before the last one of the killed process until its counts can no longer be
   * scraped.
   */
  private boolean isAroundKill(End end) {
    return end.at().isAfter(killedAt.minus(SCRAPE.multipliedBy(2)))
        && end.at().isBefore(killedAt.plus(SCRAPE));
  }

  private static boolean isNear(End end, Instant edge) {
    return Duration.between(end.at(), edge).abs().compareTo(SCRAPE.multipliedBy(2)) <= 0;
  }

  private static long successes(List<End> ends) {
    return ends.stream().filter(end -> end.outcome().equals("completed")).count();
  }

  private List<End> ends() {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select subagent_type, state, ended_at from task
                where state in ('completed', 'failed', 'timed_out')
                """)
            .map((row, _) ->
                new End(
                    row.getString("subagent_type"),
                    row.getString("state"),
                    row.getTimestamp("ended_at").toInstant()))
            .list());
  }

  /** The sum of all scraped increments of all processes. */
  private double counted(String agent, Instant begin, Instant now) {
    var selector = ENDED + "{agent=\"" + agent + "\",outcome!=\"cancelled\"}";
    var sum = 0.0;
    for (var series : prometheus.range(selector, begin, now)) {
      sum += increments(series.get("values"));
    }
    return sum;
  }

  private static double increments(JsonNode samples) {
    var sum = 0.0;
    var before = 0.0;
    for (var sample : samples) {
      var value = sample.get(1).asDouble();
      sum += value < before ? value : value - before;
      before = value;
    }
    return sum;
  }
}
