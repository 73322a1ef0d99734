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
 * The success rate that the recording rule gives for each agent beside what the rows say.
 *
 * <p>Two things keep them from being the same number. A count that a process made after its last
 * scrape dies with it: each end of around a kill may have been counted or not. And the rule looks
 * back over five minutes from scrape to scrape, so ends at the far edge may be in or out. What the
 * rule may say lies between the worst and the best of these, and {@code rate} itself may stretch a
 * series by a scrape at each end.
 */
final class SuccessCheck {

  private static final Duration WINDOW = Duration.ofMinutes(5);
  private static final Duration SCRAPE = Duration.ofSeconds(1);
  private static final String ENDED = "errand_tasks_ended_total";
  private static final double STRETCH = 2.0 * SCRAPE.toMillis() / WINDOW.toMillis();

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
   * One agent.
   *
   * @param ended how many tasks ended of themselves in all, by the rows
   * @param counted the same by the counters
   * @param around how many of them ended so close to the kill that their counts may be lost
   * @param truth the share of successes in the window, by the rows
   * @param rule the same by the rule
   * @param least what the rule may say at least
   * @param most and at most
   */
  record Line(
      String agent,
      long ended,
      long counted,
      long around,
      double truth,
      double rule,
      double least,
      double most) {

    boolean holds() {
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
          truth,
          rule,
          least,
          most,
          holds() ? "holds" : "BROKEN");
    }
  }

  static final String HEAD =
      "agent       ended  counted   kill    truth    rule   may be           ";

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
        good / (double) (all + maybeBad) * (1 - STRETCH),
        (good + maybeGood) / (double) (all + maybeGood) * (1 + STRETCH));
  }

  /** From the scrape before its last one, until nobody can have taken a count any more. */
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

  /** All increments that were ever scraped, whichever process made them. */
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
