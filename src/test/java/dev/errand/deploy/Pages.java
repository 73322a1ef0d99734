package dev.errand.deploy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** The pages for operators. */
final class Pages {

  private static final Pattern METRIC = Pattern.compile("`(errand_[a-z_]+)");

  private Pages() {}

  private static List<String> lines(String page) throws IOException {
    return Files.readAllLines(Path.of("docs/operations", page));
  }

  /** The headings of the runbooks as link anchors. */
  static List<String> runbooks() throws IOException {
    return lines("runbooks.md").stream()
        .filter(line -> line.startsWith("#"))
        .map(line -> line.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^a-z0-9 _-]", "").replace(' ', '-'))
        .toList();
  }

  /** The metrics that have a row in the metrics reference. */
  static List<String> metrics() throws IOException {
    return lines("metrics.md").stream()
        .filter(line -> line.startsWith("| `errand_"))
        .flatMap(line -> METRIC.matcher(line.split("\\|")[1]).results())
        .map(found -> found.group(1))
        .toList();
  }
}
