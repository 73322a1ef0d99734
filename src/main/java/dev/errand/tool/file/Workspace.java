package dev.errand.tool.file;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The directory that the file tools of a session work in. A path argument is relative to it, or
 * absolute and inside it; symbolic links are followed as long as they stay inside. A resolved path
 * is then opened one directory at a time without following links ({@link OpenFolder}), so a link
 * that is created in between causes an error and does not lead outside.
 */
public final class Workspace {

  private static final int MAX_PATH_CHARS = 4_000;
  private static final int MAX_NAME_BYTES = 255;

  private final Path given;
  private final Path root;
  private final Path anchor;
  private final String above;
  private final FileRules rules;
  private final ServiceFiles.Inside service;
  private final Predicate<String> permitted;

  private Workspace(Path given, Path root, FileRules rules, Predicate<String> permitted) {
    this.given = given;
    this.root = root;
    this.anchor = rules.rootOf(root);
    this.above = rules.above(root);
    this.rules = rules;
    this.service = rules.service().in(root);
    this.permitted = permitted;
  }

  /**
   * @param rules which files are hidden or not changed
   * @param permitted which paths the caller's permissions allow in a result
   * @throws ToolFailure the directory must not be a workspace
   */
  static Workspace at(Path folder, FileRules rules, Predicate<String> permitted)
      throws IOException {
    var root = rules.workspace(folder);
    return new Workspace(folder.toAbsolutePath().normalize(), root, rules, permitted);
  }

  /** Returns a workspace for a caller with all permissions. */
  public static Workspace at(Path folder, FileRules rules) throws IOException {
    return at(folder, rules, _ -> true);
  }

  /** Returns whether an entry with this name is internal data of the service in every directory. */
  public static boolean isInternal(String name) {
    return name.equalsIgnoreCase(WorkspacePathResolver.SERVICE_DATA)
        || Replacement.isTemporary(name);
  }

  /** Returns whether some file system takes an entry with this name for the directory of git. */
  public static boolean isOfGit(String name) {
    var folded = Spelling.folded(name);
    return folded.equals(".git") || folded.equals("git~1");
  }

  /**
   * Returns whether an entry of a directory is not shown: it belongs to the service, or the caller
   * has no permission.
   *
   * @param path relative to the workspace, with {@code /}
   */
  public boolean hides(String path, BasicFileAttributes attributes) {
    return belongsToService(path, attributes)
        || !(permitted.test(path) || (attributes.isDirectory() && permitted.test(path + "/")));
  }

  /**
   * @param attributes null if the file does not exist
   */
  boolean belongsToService(String path, @Nullable BasicFileAttributes attributes) {
    return isInternal(path.substring(path.lastIndexOf('/') + 1))
        || service.hides(path, attributes == null ? null : attributes.fileKey());
  }

  /** Returns whether the operator's list forbids to read a file; relative, with {@code /}. */
  public boolean deniesReading(String path) {
    return rules.deniesReading(above + path);
  }

  /**
   * Returns whether the operator's list forbids to change or create a file; relative, with {@code
   * /}.
   */
  boolean deniesWriting(String path) {
    return rules.deniesWriting(above + path);
  }

  /**
   * Resolves {@code asked}, which may be missing.
   *
   * @throws PathRefused the path leads outside the workspace
   */
  WorkspacePath find(String asked) throws IOException {
    var path = relative(parse(asked)).orElseThrow(() -> PathRefused.outside(asked)).normalize();
    if (path.startsWith("..")) {
      throw PathRefused.outside(asked);
    }
    return new WorkspacePathResolver(this, asked).find(path);
  }

  /** Resolves the path of a file or directory that exists. */
  public WorkspacePath findExisting(String asked) throws IOException {
    var path = find(asked);
    return switch (path.kind()) {
      case FILE, FOLDER -> path;
      case SPECIAL -> throw new PathRefused(asked, "is neither a file nor a directory");
      case MISSING ->
          throw new PathRefused(asked, "does not exist" + NearNames.suggestion(this, path));
    };
  }

  /** Resolves the path of a file that may be read. */
  WorkspacePath findFile(String asked) throws IOException {
    var path = findExisting(asked);
    if (path.kind() == WorkspacePath.PathKind.FOLDER) {
      throw new PathRefused(asked, "is a directory; use list to show its entries");
    }
    return readable(path, asked);
  }

  private WorkspacePath readable(WorkspacePath file, String asked) throws IOException {
    if (!isReadable(file.path())) {
      throw new PathRefused(
          asked,
          "cannot be read: it has more than one hard link and may be a file outside the workspace"
              + " (an operator can allow it with errand.tools.hard-links)");
    }
    return file;
  }

  /** Returns whether the file has only one hard link, or several are allowed. */
  public boolean isReadable(Path file) throws IOException {
    return rules.readsHardLinks() || !hasOtherNames(file);
  }

  public WorkspacePath findFolder(String asked) throws IOException {
    var path = findExisting(asked);
    if (path.kind() == WorkspacePath.PathKind.FILE) {
      throw new PathRefused(asked, "is a file, not a directory");
    }
    return path;
  }

  /** Opens it from the root in which the workspace lies: a command may replace a workspace. */
  public OpenFolder openFolder(Path relative) throws IOException {
    return OpenFolder.at(anchor, anchor.relativize(root).resolve(relative));
  }

  public TextFile openFile(WorkspacePath file) throws IOException {
    try (var folder = openFolder(file.folder())) {
      return TextFile.read(folder.file(file.name()));
    }
  }

  /** Creates the missing parent directories of {@code target}, none of them through a link. */
  void createFolders(WorkspacePath target) throws IOException {
    var folder = openFolder(Path.of(""));
    try {
      for (Path name : target.folder()) {
        if (!name.toString().isEmpty()) {
          try (var parent = folder) {
            folder = parent.folderOrNew(name, root, this::openFolder);
          }
        }
      }
    } finally {
      folder.close();
    }
  }

  /** Returns whether the file has other hard links, which may be outside the workspace. */
  boolean hasOtherNames(Path file) throws IOException {
    return Files.getAttribute(root.resolve(file), "unix:nlink", NOFOLLOW_LINKS)
            instanceof Integer names
        && names > 1;
  }

  Path root() {
    return root;
  }

  /** Makes an absolute path relative to the workspace; empty if it is outside. */
  Optional<Path> inside(Path absolute) {
    if (absolute.startsWith(root)) {
      return Optional.of(root.relativize(absolute));
    }
    return absolute.startsWith(given) ? Optional.of(given.relativize(absolute)) : Optional.empty();
  }

  /** Returns the rest of an absolute path or pattern that begins with the path of the workspace. */
  public Optional<String> below(String absolute) {
    return Stream.of(root, given)
        .map(ShownPath::withSlashes)
        .map(folder -> folder.endsWith("/") ? folder : folder + "/")
        .filter(absolute::startsWith)
        .map(folder -> absolute.substring(folder.length()))
        .findFirst();
  }

  private Optional<Path> relative(Path path) {
    return path.isAbsolute() ? inside(path) : Optional.of(path);
  }

  private static Path parse(String asked) {
    if (asked.length() > MAX_PATH_CHARS) {
      throw new PathRefused(asked, "is too long");
    }
    try {
      var path = Path.of(asked);
      for (Path name : path) {
        if (name.toString().getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
          throw new PathRefused(asked, "contains a name that is too long");
        }
      }
      return path;
    } catch (InvalidPathException invalid) {
      throw new PathRefused(asked, "is not a valid path");
    }
  }
}
