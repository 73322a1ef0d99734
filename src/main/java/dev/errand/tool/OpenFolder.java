package dev.errand.tool;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * A folder held open. Everything is done relative to the open folder and never through a symbolic
 * link, so swapping a folder for a link meanwhile leads nowhere else.
 */
final class OpenFolder implements Closeable {

  private final SecureDirectoryStream<Path> stream;

  private OpenFolder(SecureDirectoryStream<Path> stream) {
    this.stream = stream;
  }

  /** Opens {@code relative} below {@code root}, folder by folder; none of them may be a link. */
  static OpenFolder at(Path root, Path relative) throws IOException {
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

  OpenFolder folder(Path name) throws IOException {
    return new OpenFolder(stream.newDirectoryStream(name, NOFOLLOW_LINKS));
  }

  /** The names in this folder, sorted; at most {@code max} of them. To be called once. */
  List<Path> names(int max) throws IOException {
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
  BasicFileAttributes attributes(Path name) throws IOException {
    return stream
        .getFileAttributeView(name, BasicFileAttributeView.class, NOFOLLOW_LINKS)
        .readAttributes();
  }

  /** Opens a regular file. Nothing else is opened: opening a FIFO would wait for ever. */
  SeekableByteChannel file(Path name) throws IOException {
    if (!attributes(name).isRegularFile()) {
      throw new FileSystemException(name.toString(), null, "not a regular file");
    }
    return stream.newByteChannel(name, Set.of(READ, NOFOLLOW_LINKS));
  }

  /**
   * Gives the file {@code name} this content in one step: whoever reads it sees the old content or
   * the new, also after a crash. Keeps the permissions of the file it replaces.
   */
  void replace(Path name, byte[] content) throws IOException {
    var temporary = Path.of(".errand-" + UUID.randomUUID() + ".tmp");
    try {
      write(temporary, content);
      copyPermissions(name, temporary);
      stream.move(temporary, stream, name);
    } catch (IOException failed) {
      deleteIfThere(temporary);
      throw failed;
    }
  }

  private void write(Path name, byte[] content) throws IOException {
    try (var channel = stream.newByteChannel(name, Set.of(CREATE_NEW, WRITE, NOFOLLOW_LINKS))) {
      var rest = ByteBuffer.wrap(content);
      while (rest.hasRemaining()) {
        channel.write(rest);
      }
      if (channel instanceof FileChannel file) {
        file.force(true);
      }
    }
  }

  private void copyPermissions(Path from, Path to) throws IOException {
    try {
      permissions(to).setPermissions(permissions(from).readAttributes().permissions());
    } catch (NoSuchFileException newFile) {
      // keeps what the process gives to new files
    }
  }

  private PosixFileAttributeView permissions(Path name) {
    return stream.getFileAttributeView(name, PosixFileAttributeView.class, NOFOLLOW_LINKS);
  }

  private void deleteIfThere(Path name) throws IOException {
    try {
      stream.deleteFile(name);
    } catch (NoSuchFileException neverMade) {
      // nothing to tidy up
    }
  }

  @Override
  public void close() throws IOException {
    stream.close();
  }
}
