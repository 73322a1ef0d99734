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
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * A folder held open. Everything is done relative to the open folder and never through a symbolic
 * link, so swapping a folder for a link meanwhile leads nowhere else.
 */
public final class OpenFolder implements Closeable {

  private final SecureDirectoryStream<Path> stream;

  private OpenFolder(SecureDirectoryStream<Path> stream) {
    this.stream = stream;
  }

  /** Opens {@code relative} below {@code root}, folder by folder; none of them may be a link. */
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

  /** Opens a folder in this one. Asked first: of what is none, the platform leaves a part open. */
  public OpenFolder folder(Path name) throws IOException {
    if (!attributes(name).isDirectory()) {
      throw new NotDirectoryException(name.toString());
    }
    return new OpenFolder(stream.newDirectoryStream(name, NOFOLLOW_LINKS));
  }

  /**
   * Opens the folder {@code name} and makes it when it is missing. The platform cannot make a
   * folder in an open one, but it can move one there: so the new one is made right in {@code root},
   * where nobody of the workspace can put a link in between.
   */
  public OpenFolder folderOrNew(Path name, Path root) throws IOException {
    try {
      return folder(name);
    } catch (NoSuchFileException missing) {
      var made = Files.createDirectory(root.resolve(Replacement.temporaryName()));
      try (var top = open(root)) {
        top.stream.move(made.getFileName(), stream, name);
      } catch (FileSystemException faster) {
        Files.delete(made);
        return folder(name); // somebody else has made it, or this says why not
      }
      return folder(name);
    }
  }

  /** The names in this folder, sorted; at most {@code max} of them. To be called once. */
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

  /** What {@code name} is; a link is told as a link. */
  public BasicFileAttributes attributes(Path name) throws IOException {
    return stream
        .getFileAttributeView(name, BasicFileAttributeView.class, NOFOLLOW_LINKS)
        .readAttributes();
  }

  /** Opens a regular file. Nothing else is opened: opening a FIFO would wait for ever. */
  public SeekableByteChannel file(Path name) throws IOException {
    if (!attributes(name).isRegularFile()) {
      throw new FileSystemException(name.toString(), null, "not a regular file");
    }
    return regularFile(name);
  }

  /** Opens what has just been found to be a regular file. */
  public SeekableByteChannel regularFile(Path name) throws IOException {
    return stream.newByteChannel(name, Set.of(READ, NOFOLLOW_LINKS));
  }

  /** Gives the file {@code name}, which may be missing, new content in one step. */
  public Replacement replacement(Path name) {
    return new Replacement(stream, name);
  }

  @Override
  public void close() throws IOException {
    stream.close();
  }
}
