package dev.errand.tool.file;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/**
 * The folder that a session's file tools live in. A path argument is relative to it, or absolute
 * and inside it; symbolic links are followed as long as they stay inside. What was found is then
 * opened folder by folder without following any link ({@link OpenFolder}), so a link put there in
 * between is an error and no way out.
 */
public final class Workspace {

  private static final int MAX_PATH_CHARS = 4_000;
  private static final int MAX_NAME_BYTES = 255;

  private final Path given;
  private final Path root;
  private final FileRules rules;
  private final Set<String> hidden;

  private Workspace(Path given, Path root, FileRules rules) {
    this.given = given;
    this.root = root;
    this.rules = rules;
    this.hidden = rules.hiddenBelow(root);
  }

  /**
   * @param rules what of it is not seen or not changed
   */
  static Workspace at(Path folder, FileRules rules) throws IOException {
    return new Workspace(folder.toAbsolutePath().normalize(), folder.toRealPath(), rules);
  }

  /** Whether this is the service's and not to be seen; {@code path} is relative, with {@code /}. */
  public boolean hides(String path) {
    return hidden.contains(path);
  }

  /** Whether this tells the service what agents may do, and is not to be changed. */
  boolean isDefinition(WorkspacePath place) {
    return rules.isDefinition(root.resolve(place.path()));
  }

  /** Where {@code asked} leads; it may be missing. Refuses what is or leads outside. */
  public WorkspacePath find(String asked) throws IOException {
    var path = relative(parse(asked)).orElseThrow(() -> PathRefused.outside(asked)).normalize();
    if (path.startsWith("..")) {
      throw PathRefused.outside(asked);
    }
    return new WorkspacePathResolver(this, asked).find(path);
  }

  WorkspacePath findFile(String asked) throws IOException {
    var place = find(asked);
    return switch (place.kind()) {
      case FILE -> readable(place, asked);
      case FOLDER -> throw new PathRefused(asked, "is a folder; use list to see what is in it");
      case SPECIAL -> throw new PathRefused(asked, "is neither a file nor a folder");
      case MISSING ->
          throw new PathRefused(asked, "does not exist" + NearNames.suggestion(this, place));
    };
  }

  private WorkspacePath readable(WorkspacePath file, String asked) throws IOException {
    if (!isReadable(file.path())) {
      throw new PathRefused(
          asked,
          "is not read: it has more than one hard link, and may be a file from outside the workspace"
              + " (an operator can allow it with errand.tools.hard-links)");
    }
    return file;
  }

  /** Whether the file has no second name, or that does not matter here. */
  public boolean isReadable(Path file) throws IOException {
    return rules.readsHardLinks() || !hasOtherNames(file);
  }

  public WorkspacePath findFolder(String asked) throws IOException {
    var place = find(asked);
    return switch (place.kind()) {
      case FOLDER -> place;
      case FILE -> throw new PathRefused(asked, "is a file, not a folder");
      case SPECIAL -> throw new PathRefused(asked, "is neither a file nor a folder");
      case MISSING -> throw new PathRefused(asked, "does not exist");
    };
  }

  public OpenFolder openFolder(Path relative) throws IOException {
    return OpenFolder.at(root, relative);
  }

  public TextFile openFile(WorkspacePath file) throws IOException {
    try (var folder = openFolder(file.folder())) {
      return TextFile.read(folder.file(file.name()));
    }
  }

  /** Makes the folders that {@code target} still lacks, none of them through a link. */
  void createFolders(WorkspacePath target) throws IOException {
    var folder = openFolder(Path.of(""));
    try {
      for (Path name : target.folder()) {
        if (!name.toString().isEmpty()) {
          try (var parent = folder) {
            folder = parent.folderOrNew(name, root);
          }
        }
      }
    } finally {
      folder.close();
    }
  }

  /** Whether the file has a second name, which may be outside. */
  boolean hasOtherNames(Path file) throws IOException {
    return Files.getAttribute(root.resolve(file), "unix:nlink", NOFOLLOW_LINKS)
            instanceof Integer names
        && names > 1;
  }

  Path root() {
    return root;
  }

  /** An absolute path as seen from the workspace; empty when it does not begin with it. */
  Optional<Path> inside(Path absolute) {
    if (absolute.startsWith(root)) {
      return Optional.of(root.relativize(absolute));
    }
    return absolute.startsWith(given) ? Optional.of(given.relativize(absolute)) : Optional.empty();
  }

  private Optional<Path> relative(Path path) {
    return path.isAbsolute() ? inside(path) : Optional.of(path);
  }

  private static Path parse(String asked) {
    if (asked.length() > MAX_PATH_CHARS) {
      throw new PathRefused(asked, "is too long for a path");
    }
    try {
      var path = Path.of(asked);
      for (Path name : path) {
        if (name.toString().getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
          throw new PathRefused(asked, "has a name that is too long");
        }
      }
      return path;
    } catch (InvalidPathException invalid) {
      throw new PathRefused(asked, "is not a valid path");
    }
  }
}
