package dev.errand.worktree;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.errand.worktree.Worktrees.WorktreeRefused;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.PatternSyntaxException;

/**
 * The repository that a workspace lies in, as data: the index and the exclude file. An agent may
 * have written all of it, so its configuration is never used.
 *
 * @param top the directory that contains {@code .git}
 * @param gitDir where the index is
 * @param common where the exclude file is; another directory than {@code gitDir} in a linked work
 *     tree
 */
record ParentRepository(Path top, Path gitDir, Path common) {

  private static final long MAX_INDEX_BYTES = 256L << 20;
  private static final long MAX_TEXT_BYTES = 1L << 20;
  private static final String POINTER = "gitdir:";

  /**
   * The nearest repository at or above a workspace; empty if there is none.
   *
   * @param workspace a real path
   * @param worktrees the directory of all copies: a search that begins in a copy ends there
   */
  static Optional<ParentRepository> of(Path workspace, Path worktrees) throws IOException {
    for (var at = workspace; at != null && !at.equals(worktrees); at = at.getParent()) {
      var git = at.resolve(".git");
      var dir = Files.isDirectory(git) ? Optional.of(git) : pointer(git, POINTER, at);
      if (dir.isPresent() && Files.exists(dir.get().resolve("HEAD"))) {
        var common = pointer(dir.get().resolve("commondir"), "", dir.get());
        return Optional.of(new ParentRepository(at, dir.get(), common.orElse(dir.get())));
      }
    }
    return Optional.empty();
  }

  /** Copies what the names of files follow from into a git directory of the service. */
  void copyTo(Path own) throws IOException {
    copy(gitDir.resolve("index"), own.resolve("index"), MAX_INDEX_BYTES);
    Files.createDirectories(own.resolve("info"));
    copy(common.resolve("info/exclude"), own.resolve("info/exclude"), MAX_TEXT_BYTES);
    if (Files.isDirectory(gitDir)) {
      try (var shared = Files.newDirectoryStream(gitDir, "sharedindex.*")) {
        for (var part : shared) {
          copy(part, own.resolve(part.getFileName().toString()), MAX_INDEX_BYTES);
        }
      }
    }
  }

  /**
   * Writes what the exclude file and the {@code .gitignore} files above a workspace mean for it.
   *
   * @param to the exclude file of a git directory whose work tree is a copy of the workspace
   */
  void excludesBelow(Path workspace, Path to) throws IOException {
    var lines = new ArrayList<String>();
    var below = top.relativize(workspace);
    lines(common.resolve("info/exclude")).forEach(line -> add(line, below, lines));
    for (int i = 0; i < below.getNameCount() && !top.equals(workspace); i++) {
      var folder = i == 0 ? top : top.resolve(below.subpath(0, i));
      var rest = below.subpath(i, below.getNameCount());
      lines(folder.resolve(".gitignore")).forEach(line -> add(line, rest, lines));
    }
    Files.write(to, lines);
  }

  private static void add(String line, Path below, List<String> lines) {
    if (!line.isBlank() && !line.startsWith("#")) {
      IgnoreLine.below(line, below).ifPresent(lines::add);
    }
  }

  private static List<String> lines(Path file) throws IOException {
    if (!Files.isRegularFile(file) || Files.size(file) > MAX_TEXT_BYTES) {
      return List.of();
    }
    return new String(Files.readAllBytes(file), UTF_8).lines().toList();
  }

  private static void copy(Path from, Path to, long max) throws IOException {
    if (!Files.isRegularFile(from)) {
      return;
    }
    if (Files.size(from) > max) {
      throw new WorktreeRefused("has a git repository whose index is too large");
    }
    try (var in = Files.newInputStream(from);
        var out = Files.newOutputStream(to)) {
      in.transferTo(out);
    }
  }

  private static Optional<Path> pointer(Path file, String mark, Path base) throws IOException {
    if (!Files.isRegularFile(file)) {
      return Optional.empty();
    }
    try (var in = Files.newInputStream(file)) {
      var text = new String(in.readNBytes(4096), UTF_8).strip();
      return text.startsWith(mark)
          ? Optional.of(base.resolve(text.substring(mark.length()).strip()).normalize())
          : Optional.empty();
    } catch (InvalidPathException broken) {
      return Optional.empty();
    }
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
      try {
        return FileSystems.getDefault().getPathMatcher("glob:" + pattern).matches(name);
      } catch (PatternSyntaxException noPattern) {
        return false;
      }
    }
  }
}
