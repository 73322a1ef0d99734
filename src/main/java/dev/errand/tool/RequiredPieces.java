package dev.errand.tool;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Reads from a regular expression the longest plain text of each of its alternatives. Only what
 * stands outside of all groups and classes counts; where anything is beyond it, it finds nothing.
 */
final class RequiredPieces {

  /** Flags, names, quoting, and escapes that stand for characters by number or property. */
  private static final Pattern BEYOND = Pattern.compile("\\(\\?(?!:)|\\\\[^dDwWsSbBAztnrfva\\W_]");

  private static final Pattern COUNT = Pattern.compile("\\{\\d+(?:,\\d*)?}");

  private final String regex;
  private final boolean ignoreCase;
  private final List<String> pieces = new ArrayList<>();
  private final StringBuilder run = new StringBuilder();
  private String longest = "";
  private int depth;

  RequiredPieces(String regex, boolean ignoreCase) {
    this.regex = regex;
    this.ignoreCase = ignoreCase;
  }

  /** One piece for each alternative; empty when an alternative has none. */
  List<String> found() {
    if (BEYOND.matcher(regex).find()) {
      return List.of();
    }
    for (int at = 0; at < regex.length(); ) {
      at = next(at);
    }
    endAlternative();
    return pieces.stream().anyMatch(String::isEmpty) ? List.of() : pieces;
  }

  private int next(int at) {
    var character = regex.charAt(at);
    switch (character) {
      case '\\' -> {
        return escape(at);
      }
      case '[' -> {
        endRun();
        return classEnd(at);
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
      default -> literal(character);
    }
    return at + 1;
  }

  private int escape(int at) {
    if (at + 1 == regex.length() || Character.isLetterOrDigit(regex.charAt(at + 1))) {
      endRun();
    } else {
      literal(regex.charAt(at + 1));
    }
    return at + 2;
  }

  private int count(int at) {
    var count = COUNT.matcher(regex).region(at, regex.length());
    if (count.lookingAt()) {
      dropLast();
      return count.end();
    }
    literal('{');
    return at + 1;
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

  /** Some letters beyond ASCII are the same as k and s when case does not count. */
  private void literal(char character) {
    if (depth > 0 || character > '~' || ignoreCase && "kKsS".indexOf(character) >= 0) {
      endRun();
    } else {
      run.append(character);
    }
  }

  /** What is repeated any number of times may be missing. */
  private void dropLast() {
    if (!run.isEmpty()) {
      run.setLength(run.length() - 1);
    }
    endRun();
  }

  private void endRun() {
    if (run.length() > longest.length()) {
      longest = run.toString();
    }
    run.setLength(0);
  }

  private void endAlternative() {
    endRun();
    pieces.add(RequiredText.folded(longest, ignoreCase));
    longest = "";
  }
}
