package dev.errand.worktree;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.errand.tool.file.FileRules;
import dev.errand.tool.file.OpenFolder;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;

/**
 * A directory that a repository consists of. An agent may have written it, and may change it at any
 * time: no link is followed below {@code root}, and only regular files are read that, like those of
 * the file tools, have no second hard link.
 *
 * @param root a directory at or above {@code path} that agents cannot replace
 * @param path a real path
 */
record RepositoryFolder(Path root, Path path, FileRules rules) {

  private static final int MAX_NAMES = 100_000;

  /** Returns a directory that an agent with this workspace may use; empty if it may not. */
  static Optional<RepositoryFolder> of(Path path, Path workspace, FileRules rules) {
    return rules.rootOf(path, workspace).map(root -> new RepositoryFolder(root, path, rules));
  }

  /**
   * Returns a directory at or above a workspace. The agents of the workspace cannot replace those
   * above their root.
   */
  static RepositoryFolder above(Path path, Path workspace, FileRules rules) {
    return of(path, workspace, rules).orElseGet(() -> new RepositoryFolder(path, path, rules));
  }

  RepositoryFolder in(String name) {
    return new RepositoryFolder(root, path.resolve(name), rules);
  }

  /** Returns the attributes of an entry, of a link itself; empty if there is none. */
  Optional<BasicFileAttributes> attributes(String name) throws IOException {
    try (var folder = open()) {
      return Optional.of(folder.attributes(Path.of(name)));
    } catch (NoSuchFileException | NotDirectoryException | AccessDeniedException missing) {
      return Optional.empty();
    }
  }

  /** Returns the names of entries that begin so. */
  List<String> names(String begin) throws IOException {
    try (var folder = open()) {
      return folder.names(MAX_NAMES).stream()
          .map(Path::toString)
          .filter(name -> name.startsWith(begin))
          .toList();
    }
  }

  /**
   * Returns a text; empty if the file does not exist.
   *
   * @throws WorktreeRefused it must not be read, or has more than {@code max} bytes
   */
  Optional<String> text(String name, int max) throws IOException {
    try (var folder = open();
        var in = file(folder, name)) {
      var bytes = Channels.newInputStream(in).readNBytes(max + 1);
      if (bytes.length > max) {
        throw refused(name);
      }
      return Optional.of(new String(bytes, UTF_8));
    } catch (NoSuchFileException missing) {
      return Optional.empty();
    } catch (FileSystemException unreadable) {
      throw refused(name);
    }
  }

  /**
   * Copies a file if it exists.
   *
   * @return the number of bytes; {@code max + 1} if there are more than {@code max}
   * @throws WorktreeRefused it must not be read
   */
  long copy(String name, Path to, long max) throws IOException {
    try (var folder = open();
        var in = file(folder, name)) {
      return copy(in, to, max + 1);
    } catch (NoSuchFileException missing) {
      return 0;
    } catch (FileSystemException unreadable) {
      throw refused(name);
    }
  }

  private static long copy(SeekableByteChannel in, Path to, long max) throws IOException {
    try (var out = FileChannel.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      var at = 0L;
      for (long more = 1; more > 0 && at < max; at += more) {
        more = out.transferFrom(in, at, max - at);
      }
      return at;
    }
  }

  private SeekableByteChannel file(OpenFolder folder, String name) throws IOException {
    var isShared =
        !rules.readsHardLinks()
            && folder.attributes(Path.of(name)).isRegularFile()
            && Files.getAttribute(path.resolve(name), "unix:nlink", NOFOLLOW_LINKS)
                instanceof Integer links
            && links > 1;
    if (isShared) {
      throw new FileSystemException(name, null, "has more than one hard link");
    }
    return folder.file(Path.of(name));
  }

  private OpenFolder open() throws IOException {
    return OpenFolder.at(root, root.relativize(path));
  }

  private WorktreeRefused refused(String name) {
    return new WorktreeRefused(
        "has a git repository with a file that cannot be copied, because it is unreadable, a link, no"
            + " regular file, too large, or has more than one hard link: "
            + path.resolve(name));
  }
}
