package dev.errand.tool.search;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.errand.tool.ToolFailure;
import java.util.ArrayList;
import java.util.List;

/**
 * Translates a pattern without braces into a regular expression. File names may contain brackets
 * and parentheses, so {@code [id]} and {@code @(x)} also match themselves.
 */
final class GlobRegex {

  private static final int MAX_NESTED = 5;
  private static final int NONE = -1;

  private final String field;
  private final String glob;
  private final Negations negations;
  private final int depth;
  private final StringBuilder regex = new StringBuilder();
  private int position;

  /**
   * Counts the {@code !(…)}; that with the number {@code shown} is translated like {@code @(…)}.
   */
  private static final class Negations {

    private final int shown;
    private int count;
    private boolean inside;

    Negations(int shown) {
      this.shown = shown;
    }
  }

  private GlobRegex(String field, String glob, Negations negations, int depth) {
    this.field = field;
    this.glob = glob;
    this.negations = negations;
    this.depth = depth;
  }

  /**
   * The expressions that a path must match, and those that it must not match.
   *
   * @param excluded for each {@code !(…)} the pattern with this text
   */
  record GlobTranslation(String regex, List<String> excluded) {}

  /**
   * @param field the parameter that an error message names
   * @throws ToolFailure the pattern is invalid
   */
  static GlobTranslation of(String field, String glob) {
    var negations = new Negations(NONE);
    var regex = new GlobRegex(field, glob, negations, 0).regex();
    var excluded = new ArrayList<String>();
    for (int i = 0; i < negations.count; i++) {
      excluded.add(new GlobRegex(field, glob, new Negations(i), 0).regex());
    }
    return new GlobTranslation(regex, excluded);
  }

  private String regex() {
    while (position < glob.length()) {
      next(glob.charAt(position));
    }
    return regex.toString();
  }

  private void next(char character) {
    if ("?*+@!".indexOf(character) >= 0 && glob.startsWith("(", position + 1)) {
      var close = close(position + 1);
      if (close > 0) {
        group(character, close);
        return;
      }
    }
    position++;
    switch (character) {
      case '*' -> stars();
      case '?' -> regex.append("[^/]");
      case '[' -> set();
      case '\\' -> escaped();
      default -> literal(character);
    }
  }

  /** Translates {@code **}, which as a whole name stands for any number of directories. */
  private void stars() {
    var start = position - 1;
    while (position < glob.length() && glob.charAt(position) == '*') {
      position++;
    }
    if (position - start == 1) {
      regex.append("[^/]*");
    } else if (glob.startsWith("/", position) && (start == 0 || glob.charAt(start - 1) == '/')) {
      position++;
      regex.append("(?:.*/)?");
    } else {
      regex.append(".*");
    }
  }

  private void set() {
    var set = CharacterClass.at(glob, position - 1);
    if (set.isEmpty()) {
      literal('[');
      return;
    }
    var itself = Pattern.quote(glob.substring(position - 1, set.get().end()));
    position = set.get().end();
    regex.append(
        isValid(set.get().regex()) ? "(?:%s|%s)".formatted(set.get().regex(), itself) : itself);
  }

  private static boolean isValid(String set) {
    try {
      return Pattern.compile(set) != null;
    } catch (PatternSyntaxException invalid) {
      return false;
    }
  }

  private void group(char kind, int close) {
    if (depth == MAX_NESTED) {
      throw new ToolFailure(field + ": has too many nested (");
    }
    var isNegation = kind == '!';
    if (isNegation && negations.inside) {
      throw new ToolFailure(field + ": has a !(…) within a !(…), which is not supported");
    }
    var isShown = isNegation && negations.count++ == negations.shown;
    negations.inside |= isNegation;
    var choices = choices(position + 2, close);
    negations.inside &= !isNegation;
    position = close + 1;
    var any = "(?:" + String.join("|", choices) + ")";
    var itself = "\\(" + String.join("\\|", choices) + "\\)";
    regex.append(
        switch (kind) {
          case '?' -> "(?:%s?|[^/]%s)".formatted(any, itself);
          case '*' -> "(?:%s*|[^/]*%s)".formatted(any, itself);
          case '!' -> isShown ? any : "[^/]*";
          default -> "(?:%s%s|\\%s%s)".formatted(any, kind == '+' ? "+" : "", kind, itself);
        });
  }

  private List<String> choices(int start, int end) {
    var choices = new ArrayList<String>();
    var from = start;
    for (int at = start; at <= end; at++) {
      var character = glob.charAt(at);
      if (character == '\\') {
        at++;
      } else if (character == '(' && close(at) > 0) {
        at = close(at);
      } else if (character == '|' || at == end) {
        choices.add(new GlobRegex(field, glob.substring(from, at), negations, depth + 1).regex());
        from = at + 1;
      }
    }
    return choices;
  }

  /** Returns the position of the parenthesis that closes this one; -1 if there is none. */
  private int close(int open) {
    var opened = 0;
    for (int at = open; at < glob.length(); at++) {
      switch (glob.charAt(at)) {
        case '\\' -> at++;
        case '(' -> opened++;
        case ')' -> {
          opened--;
          if (opened == 0) {
            return at;
          }
        }
        default -> {}
      }
    }
    return NONE;
  }

  private void escaped() {
    if (position == glob.length()) {
      throw new ToolFailure(field + ": ends with a backslash");
    }
    literal(glob.charAt(position++));
  }

  private void literal(char character) {
    regex.append(Pattern.quote(String.valueOf(character)));
  }
}
