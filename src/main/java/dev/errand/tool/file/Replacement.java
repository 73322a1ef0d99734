package dev.errand.tool.file;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Gives a file of an open folder new content in one step: whoever reads it sees the old content or
 * the new, also after a crash. Keeps the permissions of the file it replaces.
 */
public final class Replacement {

  private static final String PREFIX = ".errand-";
  private static final String SUFFIX = ".tmp";

  private static final FileAttribute<Set<PosixFilePermission>> OURS_ALONE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final SecureDirectoryStream<Path> folder;
  private final Path name;
  private final Path temporary = temporaryName();

  Replacement(SecureDirectoryStream<Path> folder, Path name) {
    this.folder = folder;
    this.name = name;
  }

  static Path temporaryName() {
    return Path.of(PREFIX + UUID.randomUUID() + SUFFIX);
  }

  /** Whether a file of this name is one that a crash may have left behind. */
  public static boolean isTemporary(String name) {
    return name.startsWith(PREFIX) && name.endsWith(SUFFIX);
  }

  /** Looks at the file once more, right before it is replaced. */
  public interface LastLook {
    /** Whether the file is still what the new content was made from. */
    boolean isUnchanged() throws IOException;
  }

  /** Puts the content in its place; when that fails the old one is still there. */
  public void put(byte[] content, LastLook look) throws IOException {
    try {
      var old = permissionsOfOld();
      write(
          content, old.isPresent() ? new FileAttribute<?>[] {OURS_ALONE} : new FileAttribute<?>[0]);
      if (old.isPresent()) {
        view(temporary).setPermissions(old.get());
      }
      if (!look.isUnchanged()) {
        throw new FileSystemException(
            name.toString(), null, "was changed meanwhile; read it again");
      }
      folder.move(temporary, folder, name);
    } catch (IOException | RuntimeException failed) {
      deleteTemporary();
      throw failed;
    }
    saveFolder();
  }

  private Optional<Set<PosixFilePermission>> permissionsOfOld() throws IOException {
    try {
      return Optional.of(view(name).readAttributes().permissions());
    } catch (NoSuchFileException newFile) {
      return Optional.empty(); // gets what the process gives to new files
    }
  }

  private PosixFileAttributeView view(Path path) {
    return folder.getFileAttributeView(path, PosixFileAttributeView.class, NOFOLLOW_LINKS);
  }

  private void write(byte[] content, FileAttribute<?>... attributes) throws IOException {
    try (var channel =
        folder.newByteChannel(temporary, Set.of(CREATE_NEW, WRITE, NOFOLLOW_LINKS), attributes)) {
      var rest = ByteBuffer.wrap(content);
      while (rest.hasRemaining()) {
        channel.write(rest);
      }
      force(channel);
    }
  }

  /**
   * Without it the new name may be lost with the power, after the model was told that it is there.
   */
  private void saveFolder() {
    try (var channel = folder.newByteChannel(Path.of("."), Set.of(READ))) {
      force(channel);
    } catch (IOException unsupported) {
      // some file systems cannot; the file itself is safe
    }
  }

  private static void force(SeekableByteChannel channel) throws IOException {
    if (channel instanceof FileChannel file) {
      file.force(true);
    }
  }

  private void deleteTemporary() throws IOException {
    try {
      folder.deleteFile(temporary);
    } catch (NoSuchFileException neverMade) {
      // nothing to tidy up
    }
  }
}
