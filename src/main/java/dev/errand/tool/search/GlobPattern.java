package dev.errand.tool.search;

import com.google.re2j.Pattern;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.file.Workspace;
import dev.errand.tool.file.WorkspacePath;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A pattern for paths, as ripgrep and minimatch read it: {@code *} and {@code ?} match within a
 * name, {@code **} any number of directories, {@code [a-z]} one character, {@code {a,b}} and
 * {@code @(a|b)} alternatives; a backslash escapes the next character. A pattern without a slash
 * matches names at any depth, one with a slash the whole path, and one with a slash at its end
 * everything below a directory. Several patterns are separated by commas; those that begin with
 * {@code !} exclude paths. Matches in linear time.
 */
final class GlobPattern {

  private static final int MAX_CHARS = 1_000;

  /** What is searched if all patterns only exclude. */
  private static final String ANYTHING = "**";

  private final List<Alternative> including;
  private final List<Alternative> excluding;

  private GlobPattern(List<Alternative> including, List<Alternative> excluding) {
    this.including = including;
    this.excluding = excluding;
  }

  /** A pattern, or several patterns without exceptions. */
  private record Alternative(Pattern regex, List<Pattern> excluded) {

    boolean matches(String path) {
      return regex.matches(path) && excluded.stream().noneMatch(one -> one.matches(path));
    }
  }

  /**
   * Returns a pattern for paths relative to one directory.
   *
   * @param field the parameter that an error message names
   * @throws ToolFailure the pattern is invalid
   */
  static GlobPattern of(String field, String glob) {
    var root = new WorkspacePath(Path.of(""), WorkspacePath.PathKind.FOLDER);
    return of(field, glob, new GlobStart(field, null, root));
  }

  /**
   * Returns a pattern for paths of a workspace. It is relative to the directory where the search
   * starts, or absolute and inside the workspace.
   *
   * @param field the parameter that an error message names
   * @throws ToolFailure the pattern is invalid, or can match nothing inside the workspace
   */
  static GlobPattern of(String field, String glob, Workspace workspace, WorkspacePath start) {
    return of(field, glob, new GlobStart(field, workspace, start));
  }

  private static GlobPattern of(String field, String glob, GlobStart start) {
    if (glob.length() > MAX_CHARS) {
      throw new ToolFailure("%s: has more than %d characters".formatted(field, MAX_CHARS));
    }
    var list = GlobList.of(glob);
    var including = list.including().isEmpty() ? List.of(ANYTHING) : list.including();
    return new GlobPattern(alternatives(including, start), alternatives(list.excluding(), start));
  }

  /** Patterns without exceptions become one regular expression. */
  private static List<Alternative> alternatives(List<String> patterns, GlobStart start) {
    var plain = new ArrayList<String>();
    var alternatives = new ArrayList<Alternative>();
    for (var pattern : patterns) {
      for (var one : Braces.expand(start.field(), pattern)) {
        var placed = start.place(one);
        var translation = GlobRegex.of(start.field(), placed.glob());
        if (translation.excluded().isEmpty()) {
          plain.add(placed.prefix() + translation.regex());
        } else {
          alternatives.add(alternative(placed.prefix(), translation));
        }
      }
    }
    if (!plain.isEmpty()) {
      alternatives.add(new Alternative(compiled(String.join("|", plain)), List.of()));
    }
    return List.copyOf(alternatives);
  }

  private static Alternative alternative(String prefix, GlobRegex.GlobTranslation translation) {
    return new Alternative(
        compiled(prefix + translation.regex()),
        translation.excluded().stream().map(regex -> compiled(prefix + regex)).toList());
  }

  private static Pattern compiled(String regex) {
    return Pattern.compile(regex, Pattern.DOTALL);
  }

  /** Matches a path with {@code /}. */
  boolean matches(String path) {
    return including.stream().anyMatch(one -> one.matches(path))
        && excluding.stream().noneMatch(one -> one.matches(path));
  }
}
