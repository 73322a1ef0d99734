package dev.errand.deploy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The documents: those at the top and the pages in docs. */
final class Pages {

  private static final Path OPERATIONS = Path.of("docs/operations");
  private static final Pattern METRIC = Pattern.compile("`(errand_[a-z_]+)");

  private Pages() {}

  /** All documents. */
  static List<Path> all() throws IOException {
    try (var top = Files.list(Path.of(""));
        var docs = Files.walk(Path.of("docs"))) {
      return Stream.concat(top, docs).filter(file -> file.toString().endsWith(".md")).toList();
    }
  }

  /** The headings of a page as link anchors. */
  static List<String> anchors(Path page) throws IOException {
    return Files.readAllLines(page).stream()
        .filter(line -> line.matches("#+ .*"))
        .map(line -> line.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^a-z0-9 _-]", "").replace(' ', '-'))
        .toList();
  }

  /** The headings of the runbooks as link anchors. */
  static List<String> runbooks() throws IOException {
    return anchors(OPERATIONS.resolve("runbooks.md"));
  }

  /** The metrics that have a row in the metrics reference. */
  static List<String> metrics() throws IOException {
    return Files.readAllLines(OPERATIONS.resolve("metrics.md")).stream()
        .filter(line -> line.startsWith("| `errand_"))
        .flatMap(line -> METRIC.matcher(line.split("\\|")[1]).results())
        .map(found -> found.group(1))
        .toList();
  }
}
