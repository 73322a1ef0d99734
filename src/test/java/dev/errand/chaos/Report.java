package dev.errand.chaos;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/** The results of a run, one line per scenario. */
final class Report {

  private static final String LINE = "%-20s %13s %6s %10s %8s %10s %8s %8s%n";

  private final Map<String, Row> rows = new LinkedHashMap<>();
  private final List<String> broken = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  private static final class Row {
    private int interruptions;
    private int lost;
    private int duplicate;
    private int repeated;
    private final List<Long> takeovers = new ArrayList<>();
  }

  private Row row(String scenario) {
    return rows.computeIfAbsent(scenario, _ -> new Row());
  }

  void add(String scenario, int interruptions, List<Long> takeovers) {
    row(scenario).interruptions += interruptions;
    row(scenario).takeovers.addAll(takeovers);
  }

  /** Records findings by the scenario name that their keys begin with. */
  void found(List<String> lost, List<String> notifiedTwice, List<String> doneTwice) {
    lost.forEach(key -> row(scenario(key)).lost++);
    notifiedTwice.forEach(key -> row(scenario(key)).duplicate++);
    doneTwice.forEach(key -> row(scenario(key)).repeated++);
  }

  /** Adds a line below the table. */
  void note(String line) {
    notes.add(line);
  }

  void broken(List<String> invariants) {
    broken.addAll(invariants);
  }

  private static String scenario(String key) {
    return key.replaceFirst("-[0-9]+(-h[0-9]+)*$", "");
  }

  int interruptions() {
    return rows.values().stream().mapToInt(row -> row.interruptions).sum();
  }

  /** The violations of the guarantees, one line each. */
  List<String> failures() {
    var failures = new ArrayList<>(broken);
    rows.forEach((scenario, row) -> {
      if (row.lost + row.duplicate + row.repeated > 0) {
        failures.add(
            "%s: %d lost, %d duplicate, %d repeated"
                .formatted(scenario, row.lost, row.duplicate, row.repeated));
      }
    });
    return failures;
  }

  String table() {
    var table =
        new StringBuilder(
            LINE.formatted(
                "scenario",
                "interruptions",
                "lost",
                "duplicate",
                "repeated",
                "takeovers",
                "p50",
                "p99"));
    rows.forEach((scenario, row) -> table.append(line(scenario, row)));
    table.append("%-20s %13d%n".formatted("total", interruptions()));
    notes.forEach(line -> table.append(line).append('\n'));
    broken.forEach(line -> table.append("BROKEN ").append(line).append('\n'));
    return table.toString();
  }

  private static String line(String scenario, Row row) {
    return LINE.formatted(
        scenario,
        row.interruptions,
        row.lost,
        row.duplicate,
        row.repeated,
        row.takeovers.size(),
        percentile(row.takeovers, 50),
        percentile(row.takeovers, 99));
  }

  private static String percentile(List<Long> millis, int percent) {
    if (millis.isEmpty()) {
      return "-";
    }
    var sorted = millis.stream().mapToLong(Long::longValue).sorted().toArray();
    var index = (int) Math.ceil(percent / 100.0 * sorted.length) - 1;
    return "%.1f s".formatted(LongStream.of(sorted).skip(index).findFirst().orElse(0) / 1000.0);
  }
}
