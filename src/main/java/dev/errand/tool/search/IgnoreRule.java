package dev.errand.tool.search;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One line of a {@code .gitignore}, as <a href="https://git-scm.com/docs/gitignore">git</a>
 * understands it.
 *
 * @param isNegated the line begins with {@code !}: what fits is not ignored after all
 * @param foldersOnly the line ends with a slash
 * @param isForNames the line has no other slash: it is about names at any depth
 * @param names the pattern, name by name
 */
record IgnoreRule(
    boolean isNegated, boolean foldersOnly, boolean isForNames, List<NamePattern> names) {

  private static final int MAX_CHARS = 1_000;

  /** Empty for a line without a pattern: blank, a comment, or longer than anybody writes. */
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
        return List.of(); // no path has a name without characters
      }
      names.add(name.equals("**") && !forNames ? NamePattern.ANY_FOLDERS : NamePattern.of(name));
    }
    if (names.getLast() == NamePattern.ANY_FOLDERS) {
      names.add(NamePattern.of("*")); // what is in the folder, not the folder itself
    }
    return List.copyOf(names);
  }

  /** Unless a backslash keeps the last one; the return of a Windows line end goes as well. */
  private static String withoutTrailingSpaces(String line) {
    var end = line.endsWith("\r") ? line.length() - 1 : line.length();
    while (end > 0 && line.charAt(end - 1) == ' ' && !(end > 1 && line.charAt(end - 2) == '\\')) {
      end--;
    }
    return line.substring(0, end);
  }

  /**
   * @param path relative to the folder of the {@code .gitignore}
   */
  boolean fits(String path, boolean isFolder) {
    if (foldersOnly && !isFolder) {
      return false;
    }
    return isForNames
        ? names.getFirst().matches(path.substring(path.lastIndexOf('/') + 1))
        : fits(path.split("/", -1));
  }

  /** Goes back only to the last {@code **}, which is enough and keeps it from taking long. */
  private boolean fits(String[] path) {
    var pattern = 0;
    var place = 0;
    var afterAny = -1;
    var retry = 0;
    while (place < path.length) {
      if (pattern < names.size() && names.get(pattern) == NamePattern.ANY_FOLDERS) {
        afterAny = ++pattern;
        retry = place;
      } else if (pattern < names.size() && names.get(pattern).matches(path[place])) {
        pattern++;
        place++;
      } else if (afterAny >= 0) {
        pattern = afterAny;
        place = ++retry;
      } else {
        return false;
      }
    }
    return pattern == names.size();
  }
}
