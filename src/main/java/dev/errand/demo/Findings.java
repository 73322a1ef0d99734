package dev.errand.demo;

import static java.util.stream.Collectors.toMap;

import dev.errand.conversation.TextCut;
import dev.errand.demo.ChatHistory.Exchange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;

/** The results of the searches: the matching lines of each term, in the order of the searches. */
record Findings(Map<String, List<Hit>> hits) {

  private static final int MOST_PLACES = 8;
  private static final int SAME_PLACE = 3;

  private static final Pattern DEFINITION =
      Pattern.compile(
          "\\b(class|interface|record|enum|struct|def|func|fn|function|type|public)\\b");
  private static final Pattern IMPORT = Pattern.compile("(import|package|using|#include|from)\\b");
  private static final Pattern GENERATED =
      Pattern.compile(
          "(?i)(^|/)(target|build|dist|node_modules|vendor|generated|\\.git)/"
              + "|(\\.lock|-lock\\.\\w+|\\.min\\.\\w+|\\.map|\\.sum|\\.svg|\\.log)$");
  private static final Pattern TEST_OR_DOCUMENT =
      Pattern.compile(
          "(?i)(^|/)(tests?|specs?|testdata|fixtures|docs?)/|[._-](test|spec)\\.\\w+$"
              + "|Tests?\\.\\w+$|\\.(md|txt|adoc|rst)$|(^|/)(test_|license|notice)[^/]*$");

  static Findings of(List<Exchange> exchanges) {
    var hits = new LinkedHashMap<String, List<Hit>>();
    exchanges.stream()
        .filter(exchange -> exchange.isOf("grep") && !exchange.failed())
        .forEach(
            grep -> hits.put(grep.argument("pattern").replace("\\", ""), Hit.ofGrep(grep.text())));
    return new Findings(hits);
  }

  List<Hit> all() {
    return hits.values().stream().flatMap(List::stream).distinct().toList();
  }

  /** Returns the most relevant places, best first, without lines close to a better one. */
  List<Hit> best() {
    var scores = all().stream().collect(toMap(Function.identity(), this::score));
    var best = new ArrayList<Hit>();
    all().stream()
        .sorted(Comparator.comparing(scores::get).reversed())
        .filter(hit -> best.stream().noneMatch(better -> better.isNear(hit, SAME_PLACE)))
        .limit(MOST_PLACES)
        .forEachOrdered(best::add);
    return best;
  }

  /**
   * Scores a line: rare terms weigh more than frequent terms, and a term in the line more than a
   * term in the path.
   */
  private double score(Hit hit) {
    var score = 0.0;
    for (var term : hits.entrySet()) {
      var weight = 1 / Math.log(Math.E + term.getValue().size());
      score += contains(hit.text(), term.getKey()) ? weight : 0;
      score += contains(hit.path(), term.getKey()) ? weight / 3 : 0;
    }
    return score * worth(hit);
  }

  private static boolean contains(String text, String term) {
    return text.toLowerCase(Locale.ROOT).contains(term.toLowerCase(Locale.ROOT));
  }

  /** Definitions gain; imports, tests, documents and generated files lose. */
  private static double worth(Hit hit) {
    if (GENERATED.matcher(hit.path()).find()) {
      return 0.05;
    }
    var file = TEST_OR_DOCUMENT.matcher(hit.path()).find() ? 0.5 : 1;
    if (IMPORT.matcher(hit.text()).lookingAt()) {
      return file / 3;
    }
    return DEFINITION.matcher(hit.text()).find() ? file * 1.15 : file;
  }

  /** A line of a file, written {@code path:line: text}. */
  record Hit(String path, int line, String text) {

    /** As grep prints it: everything before the first number between colons is the path. */
    private static final Pattern GREP = Pattern.compile("(?m)^(.+?):(\\d{1,9}):(.*)$");

    /** As a list in running text shows it: a path with a dot or a slash, and a number. */
    private static final Pattern LISTED =
        Pattern.compile(
            "(?m)^(?:[ >|*•-]|\\d+\\."
                + " )*((?:[\\w.@+$-]+/)*[\\w@+$.-]*[./][\\w@+$-]+):(\\d{1,9})\\b:?(.*)$");

    private static final int LONGEST_TEXT = 160;

    /** Returns the matching lines in the output of grep. */
    static List<Hit> ofGrep(String output) {
      return all(GREP, output);
    }

    /** Returns the lines of {@code text} that begin with a hit, each once. */
    static List<Hit> leading(String text) {
      return all(LISTED, text);
    }

    private static List<Hit> all(Pattern pattern, String text) {
      return pattern
          .matcher(text)
          .results()
          .map(hit -> new Hit(hit.group(1), Integer.parseInt(hit.group(2)), hit.group(3).strip()))
          .distinct()
          .toList();
    }

    /** Returns a text such as {@code 8 places in 5 files}. */
    static String count(List<Hit> hits, String noun) {
      return plural(hits.stream().distinct().count(), noun)
          + " in "
          + plural(hits.stream().map(Hit::path).distinct().count(), "file");
    }

    private static String plural(long number, String noun) {
      return number + " " + noun + (number == 1 ? "" : "s");
    }

    boolean isNear(Hit other, int lines) {
      return path.equals(other.path) && Math.abs(line - other.line) <= lines;
    }

    @Override
    public String toString() {
      var shown = TextCut.withEllipsis(text, LONGEST_TEXT);
      return shown.isEmpty() ? path + ":" + line : "%s:%d: %s".formatted(path, line, shown);
    }
  }
}
