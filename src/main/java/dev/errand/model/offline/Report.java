package dev.errand.model.offline;

import dev.errand.model.offline.Transcript.Exchange;
import java.util.List;
import java.util.stream.Collectors;

/**
 * An explorer's report:
 *
 * <pre>
 * 14 lines in 6 files match "retry", "429"; the most telling places first:
 *
 * src/Retry.java:42: if (status == 429) {
 *      41	…
 *      42	    if (status == 429) {
 *      43	…
 *
 * In short: …
 * </pre>
 */
final class Report {

  private final Findings findings;
  private final Quotes quotes;

  Report(Findings findings, List<Exchange> exchanges) {
    this.findings = findings;
    this.quotes = new Quotes(exchanges);
  }

  String text() {
    var best = findings.best();
    if (best.isEmpty()) {
      return nothing();
    }
    var places = best.stream().map(this::place).collect(Collectors.joining("\n"));
    return "%s; the most telling places first:\n\n%s\nIn short: %s%s"
        .formatted(count(), places, inShort(best), faults());
  }

  private String nothing() {
    if (findings.words().isEmpty()) {
      return "The search could not be done." + faults();
    }
    return "Nothing in the workspace matches %s.%s".formatted(words(), faults());
  }

  private String count() {
    var lines = findings.lines();
    var places = lines.stream().map(hit -> hit.path() + ":" + hit.line()).distinct().count();
    return "%s in %s match %s"
        .formatted(count(places, "line"), count(files(lines), "file"), words());
  }

  private String place(Hit hit) {
    return hit + "\n" + quotes.around(hit);
  }

  private String inShort(List<Hit> best) {
    var first = best.getFirst();
    var leading =
        "the best match is %s, line %d (`%s`)".formatted(first.path(), first.line(), brief(first));
    var others = best.stream().map(Hit::path).filter(path -> !path.equals(first.path())).distinct();
    var elsewhere = others.limit(4).collect(Collectors.joining(", "));
    return elsewhere.isEmpty()
        ? leading + "; the other good matches are in the same file."
        : "%s; see also %s.".formatted(leading, elsewhere);
  }

  private static String brief(Hit hit) {
    return hit.text().length() <= 100 ? hit.text() : hit.text().substring(0, 100) + " …";
  }

  private String words() {
    return findings.words().stream()
        .map(word -> "\"" + word + "\"")
        .collect(Collectors.joining(", "));
  }

  private String faults() {
    return findings.faults().stream()
        .distinct()
        .map("\nA search failed: %s"::formatted)
        .collect(Collectors.joining());
  }

  private static long files(List<Hit> hits) {
    return hits.stream().map(Hit::path).distinct().count();
  }

  private static String count(long number, String noun) {
    return number + " " + noun + (number == 1 ? "" : "s");
  }
}
