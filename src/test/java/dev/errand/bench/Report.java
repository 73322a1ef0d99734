package dev.errand.bench;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The figures of all rounds. Each is shown as its median with the lowest and the highest value, and
 * with what is aimed at.
 */
final class Report {

  private static final String ROW = "| %s | %s | %s | %s |";

  private static final Map<String, String> AIMS =
      Map.ofEntries(
          Map.entry("start ÷ plain fast-jar", "≤ 0.4"),
          Map.entry("resident MB after start", "≤ 300"),
          Map.entry("submit → 202, p50 ms", "≤ 4"),
          Map.entry("submit → 202, p99 ms", "≤ 20"),
          Map.entry("submit → child's first model request, p50 ms", "≤ 9"),
          Map.entry("submit → child's first model request, p99 ms", "≤ 30"),
          Map.entry("child's last answer → parent's next model request, p50 ms", "≤ 10"),
          Map.entry("child's last answer → parent's next model request, p99 ms", "≤ 35"),
          Map.entry("background tasks ended and delivered per s", "≥ 400"),
          Map.entry("children that were claimed more than once", "0"),
          Map.entry("ratio: full cycles ÷ background tasks", "≥ 0.1"),
          Map.entry("SQL statements per task", "≤ 30"),
          Map.entry("commits per task", "≤ 7"),
          Map.entry("processor ms per task, service and PostgreSQL", "≤ 5"),
          Map.entry("turn 200 ÷ turn 10", "≤ 1.5"),
          Map.entry("10000 in flight: ended and delivered after s", "≤ 30"),
          Map.entry("10000 in flight: resident MB", "≤ 512"),
          Map.entry("10000 in flight: connections", "≤ 20"),
          Map.entry("runs that wait for their model: at once within 1,200 resident MB", "≥ 10,000"),
          Map.entry("200 polled tasks: statements per poll", "1"),
          Map.entry("200 polled tasks: processor % of both", "≤ 5"),
          Map.entry("with history ÷ without", "≥ 0.9"),
          Map.entry("statements that read a whole large table", "0"),
          Map.entry("DELETE of a tree, 5,000,000 consumed inbox rows: ms per session", "≤ 50"),
          Map.entry("retention, 5,000,000 consumed inbox rows: ms per session", "≤ 50"),
          Map.entry("tasks per s ÷ DBOS A, warm", "≥ 1.2"),
          Map.entry("tasks per s ÷ DBOS B, warm", "≥ 1.2"),
          Map.entry("tasks per s ÷ DBOS C, warm", "≥ 1.2"),
          Map.entry("idle: commits per s", "≤ 5"),
          Map.entry("idle: processor %", "≤ 0.5"));

  private static final String TASKS = "background tasks ended and delivered per s";

  private final Map<String, List<Double>> rounds = new LinkedHashMap<>();

  /** Adds a value of the current round. */
  void add(String figure, double value) {
    rounds.computeIfAbsent(figure, _ -> new ArrayList<>()).add(value);
    System.out.printf(Locale.ROOT, "  %s: %s%n", figure, text(value));
  }

  /** Adds median and 99th percentile of latencies. */
  void addLatency(String figure, Samples milliseconds) {
    add(figure + ", p50 ms", milliseconds.median());
    add(figure + ", p99 ms", milliseconds.quantile(0.99));
  }

  /** Prints the table, and writes it as Markdown and as JSON. */
  void write(Path file) throws IOException {
    addRatios();
    var lines = new ArrayList<String>();
    lines.add(ROW.formatted("figure", "median", "lowest to highest", "aim"));
    lines.add("|---|---|---|---|");
    var json = JsonMapper.builder().build();
    var root = json.createObjectNode();
    rounds.forEach((figure, values) -> {
      var samples = Samples.of(values);
      var spread = text(samples.quantile(0)) + " to " + text(samples.quantile(1));
      var aim = AIMS.getOrDefault(figure, "");
      lines.add(ROW.formatted(figure, text(samples.median()), spread, aim));
      var entry = root.putObject(figure).put("median", samples.median());
      values.forEach(entry.putArray("rounds")::add);
    });
    System.out.println();
    lines.forEach(System.out::println);
    var table = file.resolveSibling("bench.md");
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.write(table, lines);
    json.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), root);
    System.out.println("\nwritten: " + table + ", " + file);
  }

  /** Of the figures that were measured, in each round. */
  private void addRatios() {
    var cycles = "full cycles per s (4 model calls)";
    addRatio("ratio: full cycles ÷ background tasks", cycles, TASKS);
    addRatio(
        "ratio: background tasks ÷ commits at 8 connections",
        TASKS,
        "limit: single-row commits per s, 8 connections");
    addRatio(
        "ratio: background tasks ÷ JobRunr's jobs",
        TASKS,
        "limit: JobRunr, jobs that do nothing per s");
    addRatio(
        "ratio: submit → first model request ÷ JobRunr's enqueue → start, p50",
        "submit → child's first model request, p50 ms",
        "limit: JobRunr, enqueue → start, p50 ms");
  }

  private void addRatio(String figure, String dividend, String divisor) {
    var above = rounds.getOrDefault(dividend, List.of());
    var below = rounds.getOrDefault(divisor, List.of());
    IntStream.range(0, Math.min(above.size(), below.size()))
        .forEach(round -> add(figure, above.get(round) / below.get(round)));
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, Math.abs(value) < 10 ? "%.2f" : "%.0f", value);
  }
}
