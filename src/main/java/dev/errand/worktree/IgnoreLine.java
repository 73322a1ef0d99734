package dev.errand.worktree;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.PatternSyntaxException;

/** Moves lines of {@code .gitignore} files into a directory further down. */
final class IgnoreLine {

  private IgnoreLine() {}

  /**
   * Returns the line that means in a directory what {@code line} means further up; empty if it
   * means nothing there.
   *
   * @param below the directory, relative to that of the line; empty if it is the same
   */
  static Optional<String> below(String line, Path below) {
    var not = line.startsWith("!") ? "!" : "";
    var pattern = line.substring(not.length()).stripTrailing();
    var folder = pattern.endsWith("/") ? "/" : "";
    var parts = pattern.substring(0, pattern.length() - folder.length());
    if (below.toString().isEmpty() || !parts.contains("/")) {
      return Optional.of(line);
    }
    var names = (parts.startsWith("/") ? parts.substring(1) : parts).split("/");
    for (int i = 0; i < below.getNameCount(); i++) {
      if (i < names.length && names[i].equals("**")) {
        return Optional.of(not + rest(names, i) + folder);
      }
      if (i >= names.length - 1 || !matches(names[i], below.getName(i))) {
        return Optional.empty();
      }
    }
    return Optional.of(not + "/" + rest(names, below.getNameCount()) + folder);
  }

  private static String rest(String[] names, int from) {
    return String.join("/", Arrays.asList(names).subList(from, names.length));
  }

  private static boolean matches(String pattern, Path name) {
    try {
      return FileSystems.getDefault().getPathMatcher("glob:" + pattern).matches(name);
    } catch (PatternSyntaxException noPattern) {
      return false;
    }
  }
}
