package dev.errand.tool.search;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Reads from a regular expression what each of its alternatives asks for most: plain text, and
 * characters of a class, one behind the other. Only what stands outside of all groups counts; where
 * anything is beyond it, it finds nothing.
 */
final class RequiredPieces {

  /** Flags, names, quoting, and escapes that stand for characters by number or property. */
  private static final Pattern BEYOND = Pattern.compile("\\(\\?(?!:)|\\\\[^dDwWsSbBAztnrfva\\W_]");

  private static final Pattern COUNT = Pattern.compile("\\{(\\d{1,4})(,\\d*)?}");

  private static final int LONGEST_RUN = 32;

  private final String regex;
  private final boolean ignoreCase;
  private final List<List<String>> runs = new ArrayList<>();
  private final List<String> run = new ArrayList<>();
  private List<String> best = List.of();
  private int depth;

  RequiredPieces(String regex, boolean ignoreCase) {
    this.regex = regex;
    this.ignoreCase = ignoreCase;
  }

  /** One run for each alternative; empty when an alternative has none. */
  List<RequiredRun> found() {
    if (BEYOND.matcher(regex).find()) {
      return List.of();
    }
    for (int at = 0; at < regex.length(); ) {
      at = next(at);
    }
    endAlternative();
    return runs.stream().anyMatch(List::isEmpty)
        ? List.of()
        : runs.stream().map(RequiredRun::new).toList();
  }

  private int next(int at) {
    var character = regex.charAt(at);
    switch (character) {
      case '\\' -> {
        return escape(at);
      }
      case '[' -> {
        var end = classEnd(at);
        oneOf(
            end > regex.length()
                ? Optional.empty()
                : AsciiClass.of(regex.substring(at + 1, end - 1)));
        return end;
      }
      case '{' -> {
        return count(at);
      }
      case '(', ')' -> {
        endRun();
        depth += character == '(' ? 1 : -1;
      }
      case '|' -> {
        if (depth == 0) {
          endAlternative();
        }
      }
      case '*', '?' -> dropLast();
      case '+', '.', '^', '$' -> endRun();
      default -> oneOf(Optional.of("" + character));
    }
    return at + 1;
  }

  private int escape(int at) {
    if (at + 1 == regex.length()) {
      endRun();
    } else {
      var escaped = regex.charAt(at + 1);
      oneOf(
          Character.isLetterOrDigit(escaped)
              ? AsciiClass.ofEscape(escaped)
              : Optional.of("" + escaped));
    }
    return at + 2;
  }

  private int count(int at) {
    var count = COUNT.matcher(regex).region(at, regex.length());
    if (!count.lookingAt()) {
      oneOf(Optional.of("{"));
      return at + 1;
    }
    var times = Integer.parseInt(count.group(1));
    if (times == 0 || run.isEmpty()) {
      dropLast();
      return count.end();
    }
    var last = run.getLast();
    for (int more = 1; more < times && run.size() < LONGEST_RUN; more++) {
      run.add(last);
    }
    var exact = count.group(2) == null && run.size() < LONGEST_RUN;
    if (!exact || count.end() < regex.length() && "?*+{".indexOf(regex.charAt(count.end())) >= 0) {
      endRun();
    }
    return count.end();
  }

  private int classEnd(int start) {
    var at = start + 1;
    at += regex.startsWith("^", at) ? 1 : 0;
    at += regex.startsWith("]", at) ? 1 : 0;
    while (at < regex.length() && regex.charAt(at) != ']') {
      if (regex.startsWith("[:", at) && regex.indexOf(":]", at) > 0) {
        at = regex.indexOf(":]", at) + 2;
      } else {
        at += regex.charAt(at) == '\\' ? 2 : 1;
      }
    }
    return at + 1;
  }

  /**
   * A place where one of these must stand. Some letters beyond ASCII are the same as k and s when
   * case does not count.
   */
  private void oneOf(Optional<String> known) {
    var any =
        known.filter(all ->
            depth == 0
                && all.chars()
                    .allMatch(one -> one <= '~' && !(ignoreCase && "kKsS".indexOf(one) >= 0)));
    if (any.isPresent()) {
      run.add(
          ignoreCase
              ? any.get().toLowerCase(Locale.ROOT) + any.get().toUpperCase(Locale.ROOT)
              : any.get());
    } else {
      endRun();
    }
  }

  /** What is repeated any number of times may be missing. */
  private void dropLast() {
    if (!run.isEmpty()) {
      run.removeLast();
    }
    endRun();
  }

  private void endRun() {
    if (RequiredRun.weight(run) > RequiredRun.weight(best)) {
      best = List.copyOf(run);
    }
    run.clear();
  }

  private void endAlternative() {
    endRun();
    runs.add(best);
    best = List.of();
  }
}
