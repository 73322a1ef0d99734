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

/** The figures of all rounds. Each is shown as its median with the lowest and the highest value. */
final class Report {

  private static final String ROW = "| %-58s | %10s | %21s |%n";

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

  /** Prints the table and writes it as JSON. */
  void write(Path file) throws IOException {
    var json = JsonMapper.builder().build();
    var root = json.createObjectNode();
    System.out.printf(Locale.ROOT, "%n" + ROW, "figure", "median", "lowest to highest");
    System.out.printf("|%s|%s|%s|%n", "-".repeat(60), "-".repeat(12), "-".repeat(23));
    rounds.forEach((figure, values) -> {
      var samples = Samples.of(values);
      var spread = text(samples.quantile(0)) + " to " + text(samples.quantile(1));
      System.out.printf(Locale.ROOT, ROW, figure, text(samples.median()), spread);
      var entry = root.putObject(figure).put("median", samples.median());
      values.forEach(entry.putArray("rounds")::add);
    });
    Files.createDirectories(file.toAbsolutePath().getParent());
    json.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), root);
    System.out.println("\nwritten: " + file);
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, Math.abs(value) < 10 ? "%.2f" : "%.0f", value);
  }
}
