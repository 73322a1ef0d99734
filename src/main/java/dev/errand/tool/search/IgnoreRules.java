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
 * The files that git ignores: the {@code .gitignore} files of a directory and its parents up to the
 * workspace, and {@code .git/info/exclude} of each repository. Files outside the workspace are not
 * read. Immutable.
 */
final class IgnoreRules {

  static final IgnoreRules NONE = new IgnoreRules(null, 0, List.of());

  private static final Path GITIGNORE = Path.of(".gitignore");
  private static final Path GIT = Path.of(".git");

  /**
   * The rest of a longer file is not used, because each rule is applied to each file of the tree. A
   * rule that is cut there is not used either: it could ignore more.
   */
  private static final int MAX_BYTES = 64 * 1024;

  /** Patterns of names in the rules of a directory and its parents; further rules are not used. */
  private static final int MAX_PATTERNS = 10_000;

  private final @Nullable IgnoreRules above;
  private final int prefix;
  private final List<IgnoreRule> rules;
  private final int patterns;

  private IgnoreRules(@Nullable IgnoreRules above, int prefix, List<IgnoreRule> rules) {
    this.above = above;
    this.prefix = prefix;
    this.rules = rules;
    this.patterns = patterns(rules) + (above == null ? 0 : above.patterns);
  }

  /**
   * Returns the rules of the parent directories. Returns no rules if the directory itself is
   * ignored: a caller that names it wants to see its files.
   */
  static IgnoreRules above(Workspace workspace, Path folder) throws IOException {
    var rules = NONE;
    for (int depth = 0; depth < folder.getNameCount() && !folder.toString().isEmpty(); depth++) {
      var parent = depth == 0 ? Path.of("") : folder.subpath(0, depth);
      try (var open = workspace.openFolder(parent)) {
        rules = rules.in(open, List.of(GIT, GITIGNORE), folderPrefix(parent));
      }
      if (rules.ignores(ShownPath.withSlashes(folder.subpath(0, depth + 1)), true)) {
        return NONE;
      }
    }
    return rules;
  }

  /** Returns {@code src/main/} for {@code src/main}; empty for the workspace itself. */
  static String folderPrefix(Path folder) {
    var path = ShownPath.withSlashes(folder);
    return path.isEmpty() ? "" : path + "/";
  }

  /**
   * Returns these rules and those of the directory.
   *
   * @param names the entries of the directory
   * @param folderPrefix the path of the directory in the workspace with a slash at the end; empty
   *     for the workspace itself
   */
  IgnoreRules in(OpenFolder folder, List<Path> names, String folderPrefix) {
    var own = new ArrayList<IgnoreRule>();
    var left = MAX_PATTERNS - patterns;
    if (names.contains(GIT)) {
      own.addAll(excluded(folder, left));
    }
    if (names.contains(GITIGNORE)) {
      own.addAll(rules(folder, GITIGNORE, left - patterns(own)));
    }
    return own.isEmpty() ? this : new IgnoreRules(this, folderPrefix.length(), List.copyOf(own));
  }

  /**
   * Returns whether git ignores this path.
   *
   * @param path relative to the workspace; its parent directories are not ignored
   */
  boolean ignores(String path, boolean isFolder) {
    for (var level = this; level != null; level = level.above) {
      var relative = path.substring(level.prefix);
      for (var rule : level.rules.reversed()) {
        if (rule.matches(relative, isFolder)) {
          return !rule.isNegated();
        }
      }
    }
    return false;
  }

  private static List<IgnoreRule> excluded(OpenFolder folder, int limit) {
    try (var git = folder.folder(GIT);
        var info = git.folder(Path.of("info"))) {
      return rules(info, Path.of("exclude"), limit);
    } catch (IOException noRepository) {
      return List.of();
    }
  }

  /** Returns no rules if the file is unreadable, a link or a special file. */
  private static List<IgnoreRule> rules(OpenFolder folder, Path name, int limit) {
    try (var file = TextFile.read(folder.file(name))) {
      var text = new String(file.bytes(MAX_BYTES), StandardCharsets.UTF_8);
      var whole = file.size() <= MAX_BYTES ? text : text.substring(0, text.lastIndexOf('\n') + 1);
      return rules(whole.startsWith("\uFEFF") ? whole.substring(1) : whole, limit);
    } catch (IOException unreadable) {
      return List.of();
    }
  }

  private static List<IgnoreRule> rules(String text, int limit) {
    var rules = new ArrayList<IgnoreRule>();
    var left = limit;
    for (var line : text.split("\n")) {
      var rule = IgnoreRule.of(line);
      if (rule.isPresent()) {
        left -= rule.get().names().size();
        if (left < 0) {
          break;
        }
        rules.add(rule.get());
      }
    }
    return rules;
  }

  private static int patterns(List<IgnoreRule> rules) {
    return rules.stream().mapToInt(rule -> rule.names().size()).sum();
  }
}
