package dev.errand.tool.file;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.READ;

import dev.errand.tool.ToolFailure;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * An open directory. All operations are relative to it and never follow a symbolic link, so
 * replacing a directory by a link in the meantime has no effect.
 */
public final class OpenFolder implements Closeable {

  private final SecureDirectoryStream<Path> stream;

  private OpenFolder(SecureDirectoryStream<Path> stream) {
    this.stream = stream;
  }

  /** Opens {@code relative} below {@code root}, one directory at a time; none may be a link. */
  public static OpenFolder at(Path root, Path relative) throws IOException {
    var folder = open(root);
    for (Path name : relative) {
      if (!name.toString().isEmpty()) {
        try (var parent = folder) {
          folder = parent.folder(name);
        }
      }
    }
    return folder;
  }

  private static OpenFolder open(Path root) throws IOException {
    var stream = Files.newDirectoryStream(root);
    if (stream instanceof SecureDirectoryStream<Path> secure) {
      return new OpenFolder(secure);
    }
    stream.close();
    throw new ToolFailure("File tools do not work on this system: it cannot open files safely.");
  }

  /**
   * Opens a subdirectory. Checks its type first, because the platform leaks a file descriptor when
   * the entry is not a directory.
   */
  public OpenFolder folder(Path name) throws IOException {
    if (!attributes(name).isDirectory()) {
      throw new NotDirectoryException(name.toString());
    }
    return new OpenFolder(stream.newDirectoryStream(name, NOFOLLOW_LINKS));
  }

  /**
   * Opens the subdirectory {@code name} and creates it if it is missing. The platform cannot create
   * a directory inside an open one, but it can move one there. It is therefore created directly in
   * {@code root} and then moved.
   *
   * @param opener opens a directory by its path below {@code root}
   */
  public OpenFolder folderOrNew(Path name, Path root, Opener opener) throws IOException {
    try {
      return folder(name);
    } catch (NoSuchFileException missing) {
      var created = Files.createDirectory(root.resolve(Replacement.temporaryName()));
      try (var top = opener.open(Path.of(""))) {
        top.stream.move(created.getFileName(), stream, name);
      } catch (FileSystemException failed) {
        Files.delete(created);
        return folder(name); // created concurrently, or this call reports the reason
      }
      return folder(name);
    }
  }

  /** Opens directories. */
  public interface Opener {

    OpenFolder open(Path relative) throws IOException;
  }

  /** Returns the names in this directory, sorted, at most {@code max}. May be called once. */
  public List<Path> names(int max) throws IOException {
    var names = new ArrayList<Path>();
    try {
      var entries = stream.iterator();
      while (names.size() < max && entries.hasNext()) {
        names.add(entries.next().getFileName());
      }
    } catch (DirectoryIteratorException unreadable) {
      throw unreadable.getCause();
    }
    Collections.sort(names);
    return names;
  }

  /** Returns the attributes of {@code name} itself if it is a link. */
  public BasicFileAttributes attributes(Path name) throws IOException {
    return stream
        .getFileAttributeView(name, BasicFileAttributeView.class, NOFOLLOW_LINKS)
        .readAttributes();
  }

  /** Returns whether the owner of a file may execute it. */
  public boolean isExecutable(Path name) throws IOException {
    return stream
        .getFileAttributeView(name, PosixFileAttributeView.class, NOFOLLOW_LINKS)
        .readAttributes()
        .permissions()
        .contains(PosixFilePermission.OWNER_EXECUTE);
  }

  /** Opens a regular file. Other files are refused, because opening a FIFO would block. */
  public SeekableByteChannel file(Path name) throws IOException {
    if (!attributes(name).isRegularFile()) {
      throw new FileSystemException(name.toString(), null, "not a regular file");
    }
    return regularFile(name);
  }

  /** Opens a file that has just been found to be regular. */
  public SeekableByteChannel regularFile(Path name) throws IOException {
    return stream.newByteChannel(name, Set.of(READ, NOFOLLOW_LINKS));
  }

  /** Deletes a file. */
  void delete(Path name) throws IOException {
    stream.deleteFile(name);
  }

  /** Deletes a directory if it is empty. */
  void deleteFolder(Path name) throws IOException {
    stream.deleteDirectory(name);
  }

  /** Returns an atomic replacement of the content of {@code name}, which may be missing. */
  public Replacement replacement(Path name) {
    return new Replacement(stream, name);
  }

  @Override
  public void close() throws IOException {
    stream.close();
  }
}
