package dev.errand.postgres;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;

/**
 * The directory of the embedded database, {@code errand.home}. Only the user of the service may
 * enter it, because it contains the password and all conversations.
 */
final class PrivateHome {

  private static final Set<PosixFilePermission> DIRECTORY =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

  private PrivateHome() {}

  /**
   * Creates the directory, or removes the rights of other users from the existing one.
   *
   * @return its path without links
   * @throws IllegalStateException the directory belongs to another user
   */
  static Path open(Path home) throws IOException {
    var absolute = home.toAbsolutePath().normalize();
    if (!Files.isDirectory(absolute)) {
      Files.createDirectories(absolute, PosixFilePermissions.asFileAttribute(DIRECTORY));
    }
    var real = absolute.toRealPath();
    refuseForeign(real);
    return close(real);
  }

  /** Removes the rights of other users from a directory of this user. */
  static Path close(Path directory) throws IOException {
    return Files.setPosixFilePermissions(directory, DIRECTORY);
  }

  /** The owner of a new file is the user of this process. */
  private static void refuseForeign(Path home) throws IOException {
    var owner = Files.getAttribute(home, "unix:uid");
    if (!Files.isWritable(home)) {
      throw foreign(home, owner);
    }
    var probe = Files.createTempFile(home, "owner", null);
    try {
      if (!Files.getAttribute(probe, "unix:uid").equals(owner)) {
        throw foreign(home, owner);
      }
    } finally {
      Files.delete(probe);
    }
  }

  private static IllegalStateException foreign(Path home, Object owner) {
    return new IllegalStateException(
        "the directory "
            + home
            + " belongs to another user (uid "
            + owner
            + "), who could read the database in it; set ERRAND_HOME to a directory of the user"
            + " that runs the service, for example to a new subdirectory");
  }

  /** Creates a file that only the user of the service may read, or makes an existing one so. */
  static Path file(Path file) throws IOException {
    if (!Files.exists(file)) {
      Files.createFile(file, PosixFilePermissions.asFileAttribute(FILE));
    }
    return Files.setPosixFilePermissions(file, FILE);
  }

  /** Writes a file of the home. After a crash the file is either complete or as it was before. */
  static void write(Path file, String text) throws IOException {
    var written = file(file.resolveSibling(file.getFileName() + ".new"));
    Files.writeString(written, text);
    flush(written, StandardOpenOption.WRITE);
    Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
    flushDirectoryOf(file);
  }

  /** Deletes a file, if it exists. After a crash it is still deleted. */
  static void delete(Path file) throws IOException {
    if (Files.deleteIfExists(file)) {
      flushDirectoryOf(file);
    }
  }

  private static void flushDirectoryOf(Path file) throws IOException {
    flush(Objects.requireNonNull(file.getParent()), StandardOpenOption.READ);
  }

  private static void flush(Path path, StandardOpenOption access) throws IOException {
    try (var channel = FileChannel.open(path, access)) {
      channel.force(true);
    }
  }
}
