package dev.errand.tool.search;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A line of a {@code .gitignore}, with the semantics of <a
 * href="https://git-scm.com/docs/gitignore">git</a>.
 *
 * @param isNegated the line starts with {@code !}: a matching path is not ignored
 * @param foldersOnly the line ends with a slash
 * @param isForNames the line contains no other slash: it matches names at any depth
 * @param names the patterns of the path components
 */
record IgnoreRule(
    boolean isNegated, boolean foldersOnly, boolean isForNames, List<NamePattern> names) {

  private static final int MAX_CHARS = 1_000;

  /** Parses a line; empty if it has no pattern: blank, a comment, or too long. */
  static Optional<IgnoreRule> of(String line) {
    var pattern = withoutTrailingSpaces(line);
    if (pattern.isEmpty() || pattern.startsWith("#") || pattern.length() > MAX_CHARS) {
      return Optional.empty();
    }
    var negated = pattern.startsWith("!");
    pattern = negated ? pattern.substring(1) : pattern;
    var foldersOnly = pattern.endsWith("/");
    pattern = foldersOnly ? pattern.substring(0, pattern.length() - 1) : pattern;
    var forNames = !pattern.contains("/");
    var names = names(pattern.startsWith("/") ? pattern.substring(1) : pattern, forNames);
    return names.isEmpty()
        ? Optional.empty()
        : Optional.of(new IgnoreRule(negated, foldersOnly, forNames, names));
  }

  private static List<NamePattern> names(String pattern, boolean forNames) {
    var names = new ArrayList<NamePattern>();
    for (var name : pattern.split("/", -1)) {
      if (name.isEmpty()) {
        return List.of(); // a path has no empty name
      }
      names.add(name.equals("**") && !forNames ? NamePattern.ANY_FOLDERS : NamePattern.of(name));
    }
    if (names.getLast() == NamePattern.ANY_FOLDERS) {
      names.add(NamePattern.of("*")); // the entries of the directory, not the directory itself
    }
    return List.copyOf(names);
  }

  /**
   * Removes trailing spaces that are not escaped, and the carriage return of a Windows line end.
   */
  private static String withoutTrailingSpaces(String line) {
    var end = line.endsWith("\r") ? line.length() - 1 : line.length();
    while (end > 0 && line.charAt(end - 1) == ' ' && !(end > 1 && line.charAt(end - 2) == '\\')) {
      end--;
    }
    return line.substring(0, end);
  }

  /**
   * @param path relative to the directory of the {@code .gitignore}
   */
  boolean matches(String path, boolean isFolder) {
    if (foldersOnly && !isFolder) {
      return false;
    }
    return isForNames
        ? names.getFirst().matches(path.substring(path.lastIndexOf('/') + 1))
        : matches(path.split("/", -1));
  }

  /** Backtracks only to the last {@code **}, which is sufficient and keeps the time quadratic. */
  private boolean matches(String[] path) {
    var pattern = 0;
    var position = 0;
    var afterAny = -1;
    var retry = 0;
    while (position < path.length) {
      if (pattern < names.size() && names.get(pattern) == NamePattern.ANY_FOLDERS) {
        afterAny = ++pattern;
        retry = position;
      } else if (pattern < names.size() && names.get(pattern).matches(path[position])) {
        pattern++;
        position++;
      } else if (afterAny >= 0) {
        pattern = afterAny;
        position = ++retry;
      } else {
        return false;
      }
    }
    return pattern == names.size();
  }
}
