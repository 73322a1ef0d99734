package dev.errand.worktree;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.errand.tool.file.OpenFolder;
import dev.errand.tool.file.Workspace;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Opens the files of a workspace as the file tools do: one directory at a time, without following
 * links, and not what agents must not read.
 */
final class Contents implements Closeable {

  private final Workspace workspace;
  private final Path root;
  private Path lastPath = Path.of("");
  private @Nullable OpenFolder last;

  /**
   * @param root the real path of the workspace
   */
  Contents(Workspace workspace, Path root) {
    this.workspace = workspace;
    this.root = root;
  }

  /** The entry at a name. */
  sealed interface TreeEntry {

    /** The entry belongs to the service, and does not exist for agents. */
    record Hidden() implements TreeEntry {}

    record Missing() implements TreeEntry {}

    record UnreadableEntry() implements TreeEntry {}

    /** A submodule or another repository. */
    record Folder(String name) implements TreeEntry {}

    record Link(String target) implements TreeEntry {}

    record File(SeekableByteChannel channel, boolean executable) implements TreeEntry {}
  }

  /**
   * @param name relative to the workspace, with {@code /}; a directory may end with one
   */
  TreeEntry open(String name) {
    try {
      return open(name.endsWith("/") ? name.substring(0, name.length() - 1) : name, Path.of(name));
    } catch (NoSuchFileException | NotDirectoryException missing) {
      return new TreeEntry.Missing();
    } catch (IOException | InvalidPathException unreadable) {
      return new TreeEntry.UnreadableEntry();
    }
  }

  private TreeEntry open(String name, Path path) throws IOException {
    var parent = Objects.requireNonNullElse(path.getParent(), Path.of(""));
    if (isHidden(path)) {
      return new TreeEntry.Hidden();
    }
    var folder = folder(parent);
    var attributes = folder.attributes(path.getFileName());
    if (attributes.isDirectory()) {
      return new TreeEntry.Folder(name);
    }
    if (workspace.deniesReading(name)) {
      return new TreeEntry.UnreadableEntry();
    }
    if (attributes.isSymbolicLink()) {
      return new TreeEntry.Link(Files.readSymbolicLink(root.resolve(path)).toString());
    }
    if (!attributes.isRegularFile() || !workspace.isReadable(path)) {
      return new TreeEntry.UnreadableEntry();
    }
    return new TreeEntry.File(
        folder.regularFile(path.getFileName()), folder.isExecutable(path.getFileName()));
  }

  private boolean isHidden(Path path) throws IOException {
    for (Path part = path; part != null; part = part.getParent()) {
      var attributes =
          Files.readAttributes(root.resolve(part), BasicFileAttributes.class, NOFOLLOW_LINKS);
      if (workspace.hides(part.toString(), attributes)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the directory of a path, in most cases that of the file before. */
  private OpenFolder folder(Path path) throws IOException {
    var open = last;
    if (open == null || !path.equals(lastPath)) {
      close();
      open = workspace.openFolder(path);
      last = open;
      lastPath = path;
    }
    return open;
  }

  @Override
  public void close() throws IOException {
    if (last != null) {
      last.close();
      last = null;
    }
  }
}
