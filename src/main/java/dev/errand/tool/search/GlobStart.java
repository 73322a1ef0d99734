package dev.errand.tool.search;

import com.google.re2j.Pattern;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.file.ShownPath;
import dev.errand.tool.file.Workspace;
import dev.errand.tool.file.WorkspacePath;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The directory that patterns are relative to.
 *
 * @param field the parameter that an error message names
 * @param workspace null if the patterns are not for a workspace
 */
record GlobStart(String field, @Nullable Workspace workspace, WorkspacePath folder) {

  private static final java.util.regex.Pattern HOME =
      java.util.regex.Pattern.compile("~|(~\\w*|\\$[A-Z_]+|\\$\\\\\\{[A-Z_]+\\\\})/.*");
  private static final java.util.regex.Pattern DRIVE =
      java.util.regex.Pattern.compile("[A-Za-z]:[/\\\\].*");

  /**
   * A pattern without its place.
   *
   * @param prefix a regular expression for the beginning of a path
   */
  record Placed(String prefix, String glob) {}

  /**
   * Finds the paths that a pattern is about.
   *
   * @param pattern without braces
   * @throws ToolFailure it is about nothing inside the workspace
   */
  Placed place(String pattern) {
    check(pattern);
    var below = below(pattern);
    if (below.isEmpty()) {
      checkFirstName(pattern);
    }
    var prefix = below.isPresent() ? "" : IgnoreRules.folderPrefix(folder.path());
    var path = plain(below.map(rest -> "/" + rest).orElse(pattern));
    var anywhere = path.contains("/") ? "" : "(?:.*/)?";
    return new Placed(
        Pattern.quote(prefix) + anywhere, path.startsWith("/") ? path.substring(1) : path);
  }

  private void check(String pattern) {
    if (List.of(pattern.split("/", -1)).contains("..")) {
      throw new ToolFailure(
          "%s: must not contain ..; name the directory where the search starts with path, and write the pattern relative to it"
              .formatted(field));
    }
    if (HOME.matcher(pattern).matches() || DRIVE.matcher(pattern).matches()) {
      throw new ToolFailure(
          "%s: '%s' is outside the workspace, or not expanded; write the pattern relative to the directory where the search starts"
              .formatted(field, ShownPath.of(pattern)));
    }
  }

  /** Returns the rest of a pattern that begins with the path of the workspace. */
  private Optional<String> below(String pattern) {
    return workspace == null
        ? Optional.empty()
        : workspace.below(pattern).or(() -> workspace.below(pattern + "/"));
  }

  /**
   * Returns the pattern without repeated slashes and dots, and with what a slash at the end stands
   * for.
   */
  private static String plain(String pattern) {
    var whole = pattern.endsWith("/") ? pattern + "**" : pattern;
    return whole.replaceAll("/(\\./|/)+", "/").replaceFirst("^\\./", "");
  }

  /**
   * A pattern that begins with a slash is relative to the start, too, but a model may mean an
   * absolute path. If its first name does not exist, nothing can match, and the model learns why.
   */
  private void checkFirstName(String pattern) {
    var names = pattern.startsWith("/") ? pattern.substring(1).split("/", 2) : new String[] {""};
    var isPlain = names[0].chars().noneMatch(character -> "*?[](){}\\!@+".indexOf(character) >= 0);
    if (names[0].isEmpty() || !isPlain || exists(names[0])) {
      return;
    }
    throw new ToolFailure(
        "%s: begins with /, but there is no '%s' in the directory where the search starts; write the pattern relative to that directory"
            .formatted(field, ShownPath.of(names[0])));
  }

  private boolean exists(String name) {
    if (workspace == null || folder.kind() != WorkspacePath.PathKind.FOLDER) {
      return true;
    }
    try (var open = workspace.openFolder(folder.path())) {
      var attributes = open.attributes(Path.of(name));
      return !workspace.hides(IgnoreRules.folderPrefix(folder.path()) + name, attributes);
    } catch (IOException | InvalidPathException missing) {
      return false; // reported like one that is hidden
    }
  }
}
