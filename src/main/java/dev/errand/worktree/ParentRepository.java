package dev.errand.worktree;

import dev.errand.tool.file.FileRules;
import dev.errand.tool.search.NamePattern;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The repository that a workspace lies in, as data: the index and the exclude file. An agent may
 * have written all of it, so its configuration is never used, and it is read only where the agent
 * may work.
 *
 * @param top the directory that contains {@code .git}
 * @param gitDir where the index is
 * @param common where the exclude file is; another directory than {@code gitDir} in a linked work
 *     tree
 */
record ParentRepository(Path top, RepositoryFolder gitDir, RepositoryFolder common) {

  private static final String GIT = ".git";
  private static final String POINTER = "gitdir:";
  private static final String INFO = "info";
  private static final String EXCLUDE = "exclude";
  private static final long MAX_INDEX_BYTES = 256L << 20;
  private static final int MAX_TEXT_BYTES = 1 << 20;
  private static final int MAX_POINTER_BYTES = 4096;

  /**
   * Returns the nearest repository at or above a workspace; empty if there is none.
   *
   * @param workspace a real path
   * @param worktrees the directory of all copies: a search that begins in a copy ends there
   * @throws WorktreeRefused it is outside the directories in which the agent may work
   */
  static Optional<ParentRepository> of(Path workspace, Path worktrees, FileRules rules)
      throws IOException {
    for (var at = workspace; at != null && !at.equals(worktrees); at = at.getParent()) {
      var dir = gitDir(RepositoryFolder.above(at, workspace, rules), workspace);
      if (dir.isPresent() && dir.get().attributes("HEAD").isPresent()) {
        var common = target(dir.get(), "commondir", "", workspace);
        return Optional.of(new ParentRepository(at, dir.get(), common.orElse(dir.get())));
      }
    }
    return Optional.empty();
  }

  /** Finds a directory of git: a directory, a link to one, or a file that names one. */
  private static Optional<RepositoryFolder> gitDir(RepositoryFolder top, Path workspace)
      throws IOException {
    var found = top.attributes(GIT);
    if (found.isEmpty() || found.get().isDirectory()) {
      return found.map(_ -> top.in(GIT));
    }
    if (found.get().isSymbolicLink()) {
      return Optional.of(allowed(top.path().resolve(GIT), workspace, top.rules()));
    }
    return found.get().isRegularFile() ? target(top, GIT, POINTER, workspace) : Optional.empty();
  }

  /** Returns the directory that a file names after {@code mark}. */
  private static Optional<RepositoryFolder> target(
      RepositoryFolder folder, String file, String mark, Path workspace) throws IOException {
    var text = folder.text(file, MAX_POINTER_BYTES).map(String::strip);
    if (text.isEmpty() || !text.get().startsWith(mark)) {
      return Optional.empty();
    }
    try {
      var named = folder.path().resolve(text.get().substring(mark.length()).strip());
      return Optional.of(allowed(named, workspace, folder.rules()));
    } catch (InvalidPathException broken) {
      return Optional.empty();
    }
  }

  /** The answer is the same whether something exists outside or not. */
  private static RepositoryFolder allowed(Path named, Path workspace, FileRules rules) {
    try {
      var allowed = RepositoryFolder.of(named.toRealPath(), workspace, rules);
      if (allowed.isPresent()) {
        return allowed.get();
      }
    } catch (IOException missing) {
      // reported like one that is outside
    }
    throw new WorktreeRefused(
        "has a git repository that is missing or outside the directories in which this session may"
            + " work");
  }

  /** Copies the index and the exclude file into a git directory of the service. */
  void copyTo(Path own) throws IOException {
    var left = copied(gitDir, "index", own, MAX_INDEX_BYTES);
    for (var part : gitDir.names("sharedindex.")) {
      left = copied(gitDir, part, own, left);
    }
    var exclude = Files.createDirectories(own.resolve(INFO)).resolve(EXCLUDE);
    Files.write(exclude, lines(common.in(INFO), EXCLUDE));
  }

  /** Returns how many bytes may still be copied. */
  private static long copied(RepositoryFolder from, String name, Path own, long max)
      throws IOException {
    var left = max - from.copy(name, own.resolve(name), max);
    if (left < 0) {
      throw new WorktreeRefused("has a git repository whose index is too large");
    }
    return left;
  }

  /**
   * Writes what the exclude file and the {@code .gitignore} files above a workspace mean for it.
   *
   * @param to the exclude file of a git directory whose work tree is a copy of the workspace
   */
  void excludesBelow(Path workspace, Path to) throws IOException {
    var lines = new ArrayList<String>();
    var below = top.relativize(workspace);
    lines(common.in(INFO), EXCLUDE).forEach(line -> add(line, below, lines));
    for (int i = 0; i < below.getNameCount() && !top.equals(workspace); i++) {
      var folder = i == 0 ? top : top.resolve(below.subpath(0, i));
      var rest = below.subpath(i, below.getNameCount());
      ignored(RepositoryFolder.above(folder, workspace, common.rules()))
          .forEach(line -> add(line, rest, lines));
    }
    Files.write(to, lines);
  }

  private static void add(String line, Path below, List<String> lines) {
    if (!line.isBlank() && !line.startsWith("#")) {
      IgnoreLine.below(line, below).ifPresent(lines::add);
    }
  }

  /** Reads the ignored patterns. As in git, a link is not followed here. */
  private static List<String> ignored(RepositoryFolder folder) throws IOException {
    try {
      return lines(folder, ".gitignore");
    } catch (WorktreeRefused unreadable) {
      return List.of();
    }
  }

  private static List<String> lines(RepositoryFolder folder, String file) throws IOException {
    return folder.text(file, MAX_TEXT_BYTES).stream().flatMap(String::lines).toList();
  }

  /** Moves lines of {@code .gitignore} files into a directory further down. */
  private static final class IgnoreLine {

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
      return NamePattern.of(pattern).matches(name.toString());
    }
  }
}
