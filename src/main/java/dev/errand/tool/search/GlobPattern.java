package dev.errand.tool.search;

import com.google.re2j.Pattern;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.file.ShownPath;
import dev.errand.tool.file.Workspace;
import dev.errand.tool.file.WorkspacePath;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A pattern for paths: {@code *} and {@code ?} match within a name, {@code **} any number of
 * directories, {@code {a,b}} alternatives; a backslash escapes the next character. A pattern
 * without a slash matches names at any depth, one with a slash the whole path, and one with a slash
 * at its end everything below a directory. Several patterns are separated by commas. Matches in
 * linear time.
 */
final class GlobPattern {

  private static final int MAX_CHARS = 1_000;
  private static final int MAX_OPEN_BRACES = 10;

  private final Pattern regex;

  private GlobPattern(Pattern regex) {
    this.regex = regex;
  }

  /**
   * A pattern for paths relative to one directory.
   *
   * @param field the parameter that an error message names
   * @throws ToolFailure the pattern is invalid
   */
  static GlobPattern of(String field, String glob) {
    return of(field, glob, part -> regex(field, part));
  }

  /**
   * A pattern for paths of a workspace. It is relative to the directory where the search starts, or
   * absolute and inside the workspace.
   *
   * @param field the parameter that an error message names
   * @throws ToolFailure the pattern is invalid, or absolute and outside the workspace
   */
  static GlobPattern of(String field, String glob, Workspace workspace, WorkspacePath start) {
    var prefix = IgnoreRules.folderPrefix(start.path());
    for (var part : parts(glob)) {
      if (start.kind() == WorkspacePath.Kind.FOLDER && workspace.below(part).isEmpty()) {
        checkFirstName(field, part, workspace, start);
      }
    }
    return of(
        field,
        glob,
        part ->
            workspace
                .below(part)
                .map(below -> regex(field, "/" + below))
                .orElseGet(() -> Pattern.quote(prefix) + regex(field, part)));
  }

  /** A name may contain a comma, so the whole is a pattern, too. */
  private static GlobPattern of(String field, String glob, UnaryOperator<String> regex) {
    if (glob.length() > MAX_CHARS) {
      throw new ToolFailure("%s: has more than %d characters".formatted(field, MAX_CHARS));
    }
    var any =
        Stream.concat(Stream.of(glob), parts(glob).stream())
            .distinct()
            .map(regex)
            .collect(Collectors.joining("|"));
    return new GlobPattern(Pattern.compile(any, Pattern.DOTALL));
  }

  /** Splits patterns at the commas outside of braces. */
  static List<String> parts(String globs) {
    var parts = new ArrayList<String>();
    var start = 0;
    var openBraces = 0;
    for (int at = 0; at < globs.length(); at++) {
      switch (globs.charAt(at)) {
        case '\\' -> at++;
        case '{' -> openBraces++;
        case '}' -> openBraces--;
        case ',' -> {
          if (openBraces == 0) {
            parts.add(globs.substring(start, at).strip());
            start = at + 1;
          }
        }
        default -> {}
      }
    }
    parts.add(globs.substring(start).strip());
    return parts.stream().filter(part -> !part.isEmpty()).toList();
  }

  /**
   * A pattern that begins with a slash is relative to the start, too, but a model may mean an
   * absolute path. If its first name does not exist, nothing can match, and the model learns why.
   */
  private static void checkFirstName(
      String field, String glob, Workspace workspace, WorkspacePath start) {
    var end = glob.indexOf('/', 1);
    var name = glob.startsWith("/") && end > 1 ? glob.substring(1, end) : "";
    if (name.isEmpty() || name.chars().anyMatch(character -> "*?{}\\".indexOf(character) >= 0)) {
      return;
    }
    try (var folder = workspace.openFolder(start.path())) {
      var attributes = folder.attributes(Path.of(name));
      if (!workspace.hides(IgnoreRules.folderPrefix(start.path()) + name, attributes)) {
        return;
      }
    } catch (IOException | InvalidPathException missing) {
      // reported like one that is hidden
    }
    throw new ToolFailure(
        "%s: begins with /, but there is no '%s' in the directory where the search starts; write the pattern relative to that directory"
            .formatted(field, ShownPath.of(name)));
  }

  private static String regex(String field, String glob) {
    var whole = glob.endsWith("/") ? glob + "**" : glob;
    var path = whole.startsWith("./") ? whole.substring(2) : whole;
    var anywhere = path.contains("/") ? "" : "(?:.*/)?";
    var within = path.startsWith("/") ? path.substring(1) : path;
    return anywhere + new Translation(field, within).regex();
  }

  /** Matches a path with {@code /}. */
  boolean matches(String path) {
    return regex.matches(path);
  }

  private static final class Translation {

    private final String field;
    private final String glob;
    private final StringBuilder regex = new StringBuilder();
    private int position;
    private int openBraces;

    Translation(String field, String glob) {
      this.field = field;
      this.glob = glob;
    }

    String regex() {
      while (position < glob.length()) {
        next(glob.charAt(position++));
      }
      if (openBraces > 0) {
        throw new ToolFailure(field + ": has a { without a matching }");
      }
      return regex.toString();
    }

    private void next(char character) {
      switch (character) {
        case '*' -> stars();
        case '?' -> regex.append("[^/]");
        case '{' -> openBrace();
        case '}' -> closeBrace();
        case ',' -> regex.append(openBraces > 0 ? '|' : ',');
        case '\\' -> escaped();
        default -> literal(character);
      }
    }

    private void stars() {
      if (!take("*")) {
        regex.append("[^/]*");
        return;
      }
      while (take("*")) {}
      regex.append(take("/") ? "(?:.*/)?" : ".*");
    }

    private void openBrace() {
      if (++openBraces > MAX_OPEN_BRACES) {
        throw new ToolFailure(field + ": has too many nested {");
      }
      regex.append("(?:");
    }

    private void closeBrace() {
      if (openBraces == 0) {
        throw new ToolFailure(field + ": has a } without a matching {");
      }
      openBraces--;
      regex.append(')');
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

    private boolean take(String expected) {
      if (!glob.startsWith(expected, position)) {
        return false;
      }
      position += expected.length();
      return true;
    }
  }
}
