package dev.errand.worktree;

import dev.errand.conversation.TaskId;
import dev.errand.tool.file.FileRules;
import dev.errand.tool.file.ServiceFiles;
import dev.errand.tool.file.WorkspaceRoots;
import dev.errand.worktree.WorktreeStore.Worktree;
import io.quarkus.runtime.configuration.MemorySize;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A repository of a parent and a copy of it, made as the service makes them. */
final class CopyKit {

  /** Small limits. */
  record Limits(Path dir, int maxFiles, MemorySize maxBytes) implements WorktreesConfig {

    @Override
    public Duration strayAfter() {
      return Duration.ofMinutes(10);
    }
  }

  final Path parent;
  final Worktree copy;
  final Git git;
  final Snapshots snapshots;
  final Patches patches;

  CopyKit(Path top) throws IOException {
    this(top, 1_000, 1 << 20);
  }

  CopyKit(Path top, int maxFiles, long maxBytes) throws IOException {
    this(top, maxFiles, maxBytes, "/");
  }

  /** A copy of an agent that may work below {@code root} alone. */
  static CopyKit in(Path top, Path root) throws IOException {
    return new CopyKit(top, 1_000, 1 << 20, root.toString());
  }

  private CopyKit(Path top, int maxFiles, long maxBytes, String root) throws IOException {
    var real = top.toRealPath();
    parent = Files.createDirectories(real.resolve("parent"));
    var dir = Files.createDirectories(real.resolve("worktrees"));
    var task = TaskId.next();
    copy = new Worktree(task, Files.createDirectories(dir.resolve(task.toString())));
    var service = new ServiceFiles(Path.of("/nowhere"), Map.of("worktrees", dir), List.of());
    var rules = new FileRules(new WorkspaceRoots(service, List.of(root), dir), service, false);
    git = new Git(rules);
    snapshots =
        new Snapshots(
            git,
            rules,
            new Folders(rules),
            new Limits(dir, maxFiles, new MemorySize(BigInteger.valueOf(maxBytes))));
    patches = new Patches(snapshots, git);
  }

  Path write(String name, String text) throws IOException {
    var file = parent.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  /** Records the base and checks it out. */
  List<String> copied() throws IOException {
    return copied(parent);
  }

  List<String> copied(Path workspace) throws IOException {
    var notes = snapshots.recordBase(copy, workspace);
    snapshots.checkOut(copy);
    return notes;
  }

  Patches.TaskPatch patch() {
    return patches.of(copy, List.of());
  }

  /** Runs git as a user does, with the configuration of the repository. */
  static String git(Path folder, String... arguments) throws Exception {
    var line = new ArrayList<>(List.of("git", "-c", "protocol.file.allow=always"));
    line.addAll(List.of(arguments));
    var builder = new ProcessBuilder(line).directory(folder.toFile()).redirectErrorStream(true);
    builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
    for (var who : List.of("AUTHOR", "COMMITTER")) {
      builder.environment().put("GIT_" + who + "_NAME", "somebody");
      builder.environment().put("GIT_" + who + "_EMAIL", "somebody@example.org");
    }
    var process = builder.start();
    process.getOutputStream().close();
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IllegalStateException(String.join(" ", line) + ": " + output);
    }
    return output;
  }

  /** All files below a directory by path: kind, rights and content. */
  static Map<String, String> files(Path folder, boolean withRepository) throws IOException {
    var found = new TreeMap<String, String>();
    try (var walk = Files.walk(folder)) {
      for (var path : walk.toList()) {
        var name = folder.relativize(path).toString();
        var inRepository = name.equals(".git") || name.startsWith(".git/");
        if (withRepository == inRepository && !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
          found.put(name, content(path));
        }
      }
    }
    return found;
  }

  private static String content(Path path) throws IOException {
    return Files.isSymbolicLink(path)
        ? "link to " + Files.readSymbolicLink(path)
        : (Files.isExecutable(path) ? "x " : "- ")
            + HexFormat.of().formatHex(Files.readAllBytes(path));
  }
}
