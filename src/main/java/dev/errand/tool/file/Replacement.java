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
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Replaces the content of a file in an open directory atomically: a reader sees either the old or
 * the new content, also after a crash. Keeps the permissions of the replaced file.
 */
public final class Replacement {

  private static final String PREFIX = ".errand-";
  private static final String SUFFIX = ".tmp";

  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private static final Map<PosixFilePermission, PosixFilePermission> EXECUTE =
      Map.of(
          PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_EXECUTE,
          PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_EXECUTE,
          PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_EXECUTE);

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

  /** Returns whether this is the name of a temporary file, which a crash may have left behind. */
  static boolean isTemporary(String name) {
    return name.startsWith(PREFIX) && name.endsWith(SUFFIX);
  }

  /** Checks the file again immediately before it is replaced. */
  public interface FinalCheck {
    /** Returns whether the file still has the content that the new content is based on. */
    boolean isUnchanged() throws IOException;
  }

  /** Writes the content. If that fails, the old content remains. */
  public void put(byte[] content, FinalCheck check) throws IOException {
    put(content, Optional.empty(), check);
  }

  /**
   * @param executable whether the file is made executable; empty to keep what the old one was
   */
  void put(byte[] content, Optional<Boolean> executable, FinalCheck check) throws IOException {
    try {
      var old = permissionsOfOld();
      write(
          content, old.isPresent() ? new FileAttribute<?>[] {OWNER_ONLY} : new FileAttribute<?>[0]);
      if (old.isPresent()) {
        view(temporary).setPermissions(old.get());
      }
      if (executable.isPresent()) {
        var view = view(temporary);
        view.setPermissions(with(executable.get(), view.readAttributes().permissions()));
      }
      if (!check.isUnchanged()) {
        throw new FileSystemException(
            name.toString(), null, "was changed in the meantime; read it again");
      }
      folder.move(temporary, folder, name);
    } catch (IOException | RuntimeException failed) {
      deleteTemporary();
      throw failed;
    }
    forceFolder();
  }

  private Optional<Set<PosixFilePermission>> permissionsOfOld() throws IOException {
    try {
      return Optional.of(view(name).readAttributes().permissions());
    } catch (NoSuchFileException newFile) {
      return Optional.empty(); // gets the default permissions of the process
    }
  }

  /** Who may read an executable file may execute it. */
  private static Set<PosixFilePermission> with(
      boolean executable, Set<PosixFilePermission> permissions) {
    var changed = EnumSet.copyOf(permissions);
    EXECUTE.forEach((read, execute) -> {
      if (executable && permissions.contains(read)) {
        changed.add(execute);
      } else {
        changed.remove(execute);
      }
    });
    return changed;
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
   * Without this, a power failure could remove the new name after the model has read that the file
   * exists.
   */
  private void forceFolder() {
    try (var channel = folder.newByteChannel(Path.of("."), Set.of(READ))) {
      force(channel);
    } catch (IOException unsupported) {
      // not all file systems support it; the content itself is safe
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
    } catch (NoSuchFileException neverCreated) {
      // nothing to delete
    }
  }
}
