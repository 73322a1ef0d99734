package dev.errand.tool.shell;

import dev.errand.tool.file.FileRules;
import dev.errand.tool.file.ServiceFiles;
import dev.errand.tool.file.Workspace;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The paths that the sandbox covers in a directory, so that a command does not reach what the file
 * tools hide. Only what exists can be covered: missing directories and files of the service are
 * created empty. A covered path cannot be renamed or deleted, but the directories above it could;
 * they are pinned, that is mounted themselves.
 *
 * @param pinned directories above the covered ones, outermost first
 * @param folders without those inside others
 * @param files also those that the operator's list forbids to read
 */
record Masks(SortedSet<Path> pinned, SortedSet<Path> folders, SortedSet<Path> files) {

  /** The sandbox program accepts 9000 arguments, and a mount takes up to seven. */
  private static final int MAX_ARGUMENTS = 8_000;

  /** Directories of dependencies and build results, which contain no keys and are often deleted. */
  private static final Set<String> NOT_SEARCHED =
      Set.of(".git", ".venv", "__pycache__", "build", "dist", "node_modules", "target", "venv");

  private Masks() {
    this(new TreeSet<>(), new TreeSet<>(), new TreeSet<>());
  }

  /**
   * @param workspace a real path
   * @throws IOException something cannot be covered; no command may run
   */
  static Masks of(Path workspace, FileRules rules) throws IOException {
    var masks = new Masks();
    for (var folder : rules.service().foldersIn(workspace)) {
      checkNoLink(workspace, folder);
      Files.createDirectories(folder);
      masks.folders.add(folder);
    }
    for (var file : rules.service().filesIn(workspace)) {
      checkNoLink(workspace, file);
      if (Files.notExists(file)) {
        Files.createFile(file);
      }
      (Files.isDirectory(file) ? masks.folders : masks.files).add(file);
    }
    Files.walkFileTree(workspace, masks.new SecretSearch(workspace, rules));
    masks.pinAbove(workspace);
    var arguments = 5 * masks.pinned.size() + 3 * masks.files.size() + 7 * masks.folders.size();
    if (arguments > MAX_ARGUMENTS) {
      throw new IOException(
          "%d files are on the list errand.tools.deny-read, more than a sandbox can cover"
              .formatted(masks.files.size()));
    }
    return masks;
  }

  /**
   * @param directory a real path that commands cannot change
   */
  static Masks ofReadOnly(Path directory, FileRules rules) throws IOException {
    var masks = new Masks();
    rules.service().foldersIn(directory).stream()
        .filter(Files::isDirectory)
        .forEach(masks.folders::add);
    rules.service().filesIn(directory).stream().filter(Files::exists).forEach(masks.files::add);
    return masks;
  }

  private static void checkNoLink(Path workspace, Path path) throws IOException {
    for (var part : parts(workspace, path)) {
      if (Files.isSymbolicLink(part)) {
        throw new IOException(
            workspace.relativize(part)
                + " belongs to the service and is a link, which a sandbox cannot cover");
      }
    }
  }

  private void pinAbove(Path workspace) {
    Stream.concat(folders.stream(), files.stream())
        .flatMap(path -> parts(workspace, path).stream())
        .forEach(pinned::add);
    pinned.removeAll(folders);
    pinned.removeAll(files);
  }

  /** Returns the path and the directories above it, up to the workspace. */
  private static List<Path> parts(Path workspace, Path path) {
    var below = workspace.relativize(path);
    return IntStream.rangeClosed(1, below.getNameCount())
        .mapToObj(end -> workspace.resolve(below.subpath(0, end)))
        .toList();
  }

  /** Finds files that must not be read, and data of other services. */
  private final class SecretSearch extends SimpleFileVisitor<Path> {

    private final Path workspace;
    private final String above;
    private final FileRules rules;
    private final ServiceFiles.Inside service;

    SecretSearch(Path workspace, FileRules rules) {
      this.workspace = workspace;
      this.above = rules.above(workspace);
      this.rules = rules;
      this.service = rules.service().in(workspace);
    }

    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
      var name = folder.getFileName().toString();
      if (folder.equals(workspace)) {
        return FileVisitResult.CONTINUE;
      }
      if (Workspace.isInternal(name) || service.hides(path(folder), attributes.fileKey())) {
        folders.add(folder);
      }
      return folders.contains(folder) || NOT_SEARCHED.contains(name)
          ? FileVisitResult.SKIP_SUBTREE
          : FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      if (attributes.isRegularFile() && rules.deniesReading(above + path(file))) {
        files.add(file);
      }
      return FileVisitResult.CONTINUE;
    }

    private String path(Path file) {
      return workspace.relativize(file).toString();
    }

    /** Returns what the service cannot read, a command cannot read either. */
    @Override
    public FileVisitResult visitFileFailed(Path file, IOException unreadable) {
      return FileVisitResult.CONTINUE;
    }
  }
}
