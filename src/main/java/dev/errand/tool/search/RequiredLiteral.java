package dev.errand.tool.search;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.google.re2j.Pattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The longest ASCII text that every match of a regular expression contains. Searching for it is
 * many times faster than matching, and most files and lines do not contain it. Conservative: syntax
 * that is not understood yields no literal.
 *
 * @param anyOf one literal per alternative of the expression, in lower case if the case is ignored;
 *     empty if an alternative has none
 */
record RequiredLiteral(List<String> anyOf, boolean ignoreCase) {

  /** Flags, named groups, quoting, numeric escapes, and classes that contain a bracket. */
  private static final Pattern UNSUPPORTED =
      Pattern.compile("\\(\\?[^:]|\\[\\^?\\]|\\[:|\\\\[^dDwWsSbBAztnrfva\\W_]");

  private static final Pattern TOKEN =
      Pattern.compile("(?s)\\\\.|\\[(?:[^\\]\\\\]|\\\\.)*\\]|\\{\\d+(?:,\\d*)?\\}|.");

  private static final Pattern LITERAL =
      Pattern.compile("\\\\[[:punct:] ]|[^\\\\()\\[|*?+.^$\\x{80}-\\x{10FFFF}]");

  RequiredLiteral {
    anyOf = List.copyOf(anyOf);
  }

  static RequiredLiteral of(String regex, boolean ignoreCase) {
    var alternatives = new ArrayList<String>();
    var longest = "";
    var run = new StringBuilder();
    var depth = 0;
    var tokens = TOKEN.matcher(UNSUPPORTED.matcher(regex).find() ? "" : regex);
    while (tokens.find()) {
      var token = tokens.group();
      var hasOtherCases = ignoreCase && "kKsS".contains(token); // the Kelvin sign, the long s
      if (depth == 0 && LITERAL.matches(token) && !hasOtherCases) {
        var literal = token.substring(token.length() - 1);
        run.append(ignoreCase ? literal.toLowerCase(Locale.ROOT) : literal);
        continue;
      }
      if ("*?{".indexOf(token.charAt(0)) >= 0) {
        run.setLength(Math.max(0, run.length() - 1)); // the repeated character may be missing
      }
      longest = run.length() > longest.length() ? run.toString() : longest;
      run.setLength(0);
      depth += token.equals("(") ? 1 : token.equals(")") ? -1 : 0;
      if (depth == 0 && token.equals("|")) {
        alternatives.add(longest);
        longest = "";
      }
    }
    alternatives.add(run.length() > longest.length() ? run.toString() : longest);
    return new RequiredLiteral(alternatives.contains("") ? List.of() : alternatives, ignoreCase);
  }

  boolean mayBeIn(String line) {
    if (anyOf.isEmpty()) {
      return true;
    }
    var text = ignoreCase ? line.toLowerCase(Locale.ROOT) : line;
    return anyOf.stream().anyMatch(text::contains);
  }

  /** Whether it may be in a text whose ASCII characters take one byte each. */
  boolean mayBeIn(byte[] text) {
    return anyOf.isEmpty() || mayBeIn(new String(text, ISO_8859_1));
  }
}
