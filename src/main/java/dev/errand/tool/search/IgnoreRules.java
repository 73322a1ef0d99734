package dev.errand.tool.search;

import dev.errand.tool.file.OpenFolder;
import dev.errand.tool.file.ShownPath;
import dev.errand.tool.file.TextFile;
import dev.errand.tool.file.Workspace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What git would ignore: the {@code .gitignore} files of a folder and of those above it up to the
 * workspace, and each repository's {@code .git/info/exclude}. Nothing outside the workspace counts.
 * Immutable.
 */
final class IgnoreRules {

  static final IgnoreRules NONE = new IgnoreRules(null, 0, List.of());

  private static final Path GITIGNORE = Path.of(".gitignore");
  private static final Path GIT = Path.of(".git");

  /** More of a file is not read: each rule costs time with each file of the tree. */
  private static final int MAX_BYTES = 64 * 1024;

  private final @Nullable IgnoreRules above;
  private final int prefix;
  private final List<IgnoreRule> rules;

  private IgnoreRules(@Nullable IgnoreRules above, int prefix, List<IgnoreRule> rules) {
    this.above = above;
    this.prefix = prefix;
    this.rules = rules;
  }

  /**
   * The rules from above that hold in this folder; its own are not among them. None when the folder
   * is itself ignored: whoever names it wants to see what is in it.
   */
  static IgnoreRules above(Workspace workspace, Path folder) throws IOException {
    var rules = NONE;
    for (int depth = 0; depth < folder.getNameCount() && !folder.toString().isEmpty(); depth++) {
      var parent = depth == 0 ? Path.of("") : folder.subpath(0, depth);
      try (var open = workspace.openFolder(parent)) {
        rules = rules.in(open, List.of(GIT, GITIGNORE), folderPrefix(parent));
      }
      if (rules.ignore(ShownPath.withSlashes(folder.subpath(0, depth + 1)), true)) {
        return NONE;
      }
    }
    return rules;
  }

  /** {@code src/main/} for the folder {@code src/main}; empty for the workspace itself. */
  static String folderPrefix(Path folder) {
    var path = ShownPath.withSlashes(folder);
    return path.isEmpty() ? "" : path + "/";
  }

  /**
   * These rules and the folder's own.
   *
   * @param names what is in the folder
   * @param folderPrefix the folder's path in the workspace with a slash behind; empty for the
   *     workspace itself
   */
  IgnoreRules in(OpenFolder folder, List<Path> names, String folderPrefix) {
    var own = new ArrayList<IgnoreRule>();
    if (names.contains(GIT)) {
      own.addAll(excluded(folder));
    }
    if (names.contains(GITIGNORE)) {
      own.addAll(rules(folder, GITIGNORE));
    }
    return own.isEmpty() ? this : new IgnoreRules(this, folderPrefix.length(), List.copyOf(own));
  }

  /**
   * Whether git would ignore this.
   *
   * @param path relative to the workspace; the folders above are not ignored
   */
  boolean ignore(String path, boolean isFolder) {
    for (var level = this; level != null; level = level.above) {
      var relative = path.substring(level.prefix);
      for (var rule : level.rules.reversed()) {
        if (rule.fits(relative, isFolder)) {
          return !rule.isNegated();
        }
      }
    }
    return false;
  }

  private static List<IgnoreRule> excluded(OpenFolder folder) {
    try (var git = folder.folder(GIT);
        var info = git.folder(Path.of("info"))) {
      return rules(info, Path.of("exclude"));
    } catch (IOException noRepository) {
      return List.of();
    }
  }

  /** None when the file cannot be read, or is a link or a special file. */
  private static List<IgnoreRule> rules(OpenFolder folder, Path name) {
    try (var file = TextFile.read(folder.file(name))) {
      var text = new String(file.bytes(MAX_BYTES), StandardCharsets.UTF_8);
      return List.of((text.startsWith("\uFEFF") ? text.substring(1) : text).split("\n")).stream()
          .flatMap(line -> IgnoreRule.of(line).stream())
          .toList();
    } catch (IOException unreadable) {
      return List.of();
    }
  }
}
