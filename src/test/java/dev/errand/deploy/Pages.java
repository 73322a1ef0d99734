package dev.errand.deploy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** The page for those who operate the service. */
final class Pages {

  private static final Pattern METRIC = Pattern.compile("`(errand_[a-z_]+)");

  private Pages() {}

  private static List<String> lines() throws IOException {
    return Files.readAllLines(Path.of("docs/operations.md"));
  }

  /** Headings, as links name them. */
  static List<String> anchors() throws IOException {
    return lines().stream()
        .filter(line -> line.startsWith("#"))
        .map(line -> line.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^a-z0-9 _-]", "").replace(' ', '-'))
        .toList();
  }

  /** The metrics that have a row in a table. */
  static List<String> metrics() throws IOException {
    return lines().stream()
        .filter(line -> line.startsWith("| `errand_"))
        .flatMap(line -> METRIC.matcher(line.split("\\|")[1]).results())
        .map(found -> found.group(1))
        .toList();
  }
}
