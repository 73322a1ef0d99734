package dev.errand.tool.file;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A list of patterns for files, as an operator configures it: {@code *} and {@code ?} match within
 * a name, {@code **} any number of directories, and {@code dir/**} also the directory itself. A
 * pattern matches at any depth and in any spelling ({@link Spelling}). The last pattern that
 * matches decides; one that begins with {@code !} is an exception.
 */
final class PathList {

  private record PathPattern(boolean excepts, boolean isName, Pattern regex) {

    static PathPattern of(String text) {
      var excepts = text.startsWith("!");
      var pattern = Spelling.folded(excepts ? text.substring(1) : text);
      return new PathPattern(excepts, !pattern.contains("/"), Pattern.compile(regex(pattern)));
    }

    private static String regex(String pattern) {
      var below = pattern.endsWith("/**");
      var rest = below ? pattern.substring(0, pattern.length() - 3) : pattern;
      var regex =
          Pattern.compile("\\*\\*/|\\*\\*|\\*|\\?|[^*?]+")
              .matcher(rest)
              .results()
              .map(part ->
                  switch (part.group()) {
                    case "**/" -> "(?:.*/)?";
                    case "**" -> ".*";
                    case "*" -> "[^/]*";
                    case "?" -> "[^/]";
                    default -> Pattern.quote(part.group());
                  })
              .collect(Collectors.joining());
      return (pattern.contains("/") ? "(?:.*/)?" : "") + regex + (below ? "(?:/.*)?" : "");
    }
  }

  private final List<PathPattern> entries;
  private final boolean onlyNames;

  PathList(List<String> patterns) {
    entries = patterns.stream().map(String::strip).map(PathPattern::of).toList().reversed();
    onlyNames = entries.stream().allMatch(PathPattern::isName);
  }

  /**
   * @param path relative to the root of the workspace, with {@code /}
   */
  boolean contains(String path) {
    var name = Spelling.folded(path.substring(path.lastIndexOf('/') + 1));
    var whole = onlyNames ? name : Spelling.folded(path);
    return entries.stream()
        .filter(entry -> entry.regex().matcher(entry.isName() ? name : whole).matches())
        .findFirst()
        .filter(entry -> !entry.excepts())
        .isPresent();
  }
}
