package dev.errand.tool.search;

import dev.errand.tool.ToolFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The alternatives that braces in a pattern stand for: {@code {a,b{c,d}}}, {@code {1..3}}, {@code
 * {01..10..2}}, {@code {a..c}}. Braces around one text may also be a part of the name.
 */
final class Braces {

  private static final int MAX_PATTERNS = 1_000;
  private static final int MAX_NESTED = 10;

  private static final Pattern NUMBERS =
      Pattern.compile("(-?\\d{1,9})\\.\\.(-?\\d{1,9})(?:\\.\\.(-?\\d{1,9}))?");
  private static final Pattern LETTERS =
      Pattern.compile("([A-Za-z])\\.\\.([A-Za-z])(?:\\.\\.(-?\\d{1,9}))?");

  private final String field;

  private Braces(String field) {
    this.field = field;
  }

  /**
   * Returns the patterns without braces.
   *
   * @param field the parameter that an error message names
   * @throws ToolFailure a brace has no counterpart, or there are too many alternatives
   */
  static List<String> expand(String field, String glob) {
    return new Braces(field).expand(glob, 0);
  }

  private List<String> expand(String glob, int depth) {
    if (depth > MAX_NESTED) {
      throw new ToolFailure(field + ": has too many nested {");
    }
    var open = next(glob, 0, "{}");
    if (open == glob.length()) {
      return List.of(glob);
    }
    if (glob.charAt(open) == '}') {
      throw new ToolFailure(field + ": has a } without a matching {; write \\} for the character");
    }
    var commas = new ArrayList<Integer>();
    var close = close(glob, open, commas);
    var rest = expand(glob.substring(close + 1), depth);
    var patterns = new ArrayList<String>();
    for (var choice : choices(glob, open, close, commas)) {
      for (var inner : expand(choice, depth + 1)) {
        rest.forEach(end -> patterns.add(glob.substring(0, open) + inner + end));
        if (patterns.size() > MAX_PATTERNS) {
          throw new ToolFailure(
              "%s: the braces stand for more than %d patterns; write fewer alternatives"
                  .formatted(field, MAX_PATTERNS));
        }
      }
    }
    return patterns;
  }

  /** Returns the position of the next of the characters; the length if there is none. */
  private static int next(String glob, int from, String characters) {
    var at = from;
    while (at < glob.length() && characters.indexOf(glob.charAt(at)) < 0) {
      at =
          switch (glob.charAt(at)) {
            case '\\' -> at + 2;
            case '[' -> CharacterClass.at(glob, at).map(CharacterClass::end).orElse(at + 1);
            default -> at + 1;
          };
    }
    return Math.min(at, glob.length());
  }

  private int close(String glob, int open, List<Integer> commas) {
    var depth = 0;
    for (int at = open; at < glob.length(); at = next(glob, at + 1, "{},")) {
      switch (glob.charAt(at)) {
        case '{' -> depth++;
        case '}' -> {
          depth--;
          if (depth == 0) {
            return at;
          }
        }
        default -> {
          if (depth == 1) {
            commas.add(at);
          }
        }
      }
    }
    throw new ToolFailure(field + ": has a { without a matching }; write \\{ for the character");
  }

  private List<String> choices(String glob, int open, int close, List<Integer> commas) {
    var body = glob.substring(open + 1, close);
    if (commas.isEmpty()) {
      var range = range(body);
      return range.isEmpty() ? List.of(body, "\\{" + body + "\\}") : range;
    }
    var choices = new ArrayList<String>();
    var from = open + 1;
    for (var comma : commas) {
      choices.add(glob.substring(from, comma));
      from = comma + 1;
    }
    choices.add(glob.substring(from, close));
    return choices.stream().flatMap(one -> Stream.of(one, one.strip())).distinct().toList();
  }

  private List<String> range(String body) {
    var numbers = NUMBERS.matcher(body);
    if (numbers.matches()) {
      var from = numbers.group(1);
      var to = numbers.group(2);
      var isPadded = from.matches("-?0\\d+") || to.matches("-?0\\d+");
      var format = isPadded ? "%0" + Math.max(from.length(), to.length()) + "d" : "%d";
      return steps(Integer.parseInt(from), Integer.parseInt(to), numbers)
          .mapToObj(format::formatted)
          .toList();
    }
    var letters = LETTERS.matcher(body);
    return letters.matches()
        ? steps(letters.group(1).charAt(0), letters.group(2).charAt(0), letters)
            .filter(Character::isLetter)
            .mapToObj(Character::toString)
            .toList()
        : List.of();
  }

  private IntStream steps(int from, int to, Matcher range) {
    var step = range.group(3) == null ? 1 : Math.max(1, Math.abs(Integer.parseInt(range.group(3))));
    var count = Math.abs((long) to - from) / step + 1;
    if (count > MAX_PATTERNS) {
      throw new ToolFailure(
          "%s: {%s} has more than %d values".formatted(field, range.group(), MAX_PATTERNS));
    }
    return IntStream.range(0, (int) count).map(i -> from + (from <= to ? i : -i) * step);
  }
}
