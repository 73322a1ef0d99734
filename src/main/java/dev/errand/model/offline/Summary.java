package dev.errand.model.offline;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Sums up what an explorer reported. Knows no template by heart: reads the {@code file:line} lines,
 * the line that tells of an error, and words of failure above the result.
 */
final class Summary {

  private static final int LONGEST_QUOTE = 2000;

  private static final Pattern RESULT_BEGINS =
      Pattern.compile("(?im)^\\W*(result|output|report)\\b[^\\n]{0,40}[:>]");
  private static final Pattern ERROR_LINE =
      Pattern.compile("(?im)^\\W*(?:error|reason)\\b\\W*(\\S.*)$");
  private static final Pattern ABOUT_THE_REQUEST =
      Pattern.compile("(?im)^\\W*(description|task|label|prompt)\\b.*$");
  private static final Pattern FAILURE =
      Pattern.compile("(?i)\\b(failed|failure|timed[ _]out|cancell?ed)\\b");

  private Summary() {}

  /** What the text of a notice, or of a task's result, comes down to. */
  static String of(String notice) {
    var hits = Hit.leading(notice);
    var failure = failure(notice);
    if (failure.isPresent() && hits.isEmpty()) {
      return "The search came to no result: it %s. %s"
          .formatted(failure.get(), reason(notice))
          .strip();
    }
    if (hits.isEmpty()) {
      return quote(result(notice));
    }
    return failure
            .map(how -> "The search %s; until then it had found ".formatted(how))
            .orElse("Found ")
        + places(hits)
        + hits.stream().map(hit -> "\n- " + hit).collect(Collectors.joining());
  }

  private static String places(List<Hit> hits) {
    var files = hits.stream().map(Hit::path).distinct().count();
    return "%d %s in %d %s:"
        .formatted(
            hits.size(),
            hits.size() == 1 ? "place" : "places",
            files,
            files == 1 ? "file" : "files");
  }

  /** How it failed, if the lines above the result say that it did. */
  private static Optional<String> failure(String notice) {
    var begins = RESULT_BEGINS.matcher(notice);
    var head = begins.find() ? notice.substring(0, begins.start()) : notice;
    var said = FAILURE.matcher(ABOUT_THE_REQUEST.matcher(head).replaceAll(""));
    return said.find() ? Optional.of(spoken(said.group(1))) : Optional.empty();
  }

  private static String spoken(String failure) {
    return switch (failure.toLowerCase(Locale.ROOT).charAt(0)) {
      case 't' -> "timed out";
      case 'c' -> "was cancelled";
      default -> "failed";
    };
  }

  private static String reason(String notice) {
    var line = ERROR_LINE.matcher(notice);
    return line.find() ? "The reason: " + quote(line.group(1)) : quote(notice);
  }

  private static String result(String notice) {
    var begins = RESULT_BEGINS.matcher(notice);
    return begins.find() ? notice.substring(begins.end()) : notice;
  }

  private static String quote(String text) {
    var plain = text.strip();
    return plain.length() <= LONGEST_QUOTE ? plain : plain.substring(0, LONGEST_QUOTE) + " …";
  }
}
