package dev.errand.tool.file;

import dev.errand.permission.Permissions;
import dev.errand.postgres.Failpoint;
import dev.errand.tool.file.FileMemory.ContentHash;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Changes several files of a workspace: all of them or none, unless the process dies. Paths are
 * relative to the workspace and lead through no symbolic link; each file is subject to the rules of
 * the tool {@code write}.
 */
public final class FileSet {

  private static final String WRITE = "write";

  private final Workspace workspace;
  private final Permissions permissions;

  /**
   * @param permissions of the caller
   */
  public FileSet(Path folder, FileRules rules, Permissions permissions) throws IOException {
    this.workspace = Workspace.at(folder, rules);
    this.permissions = permissions;
  }

  /** A file. */
  public record FileContent(byte[] bytes, boolean executable) {

    /** Returns a text that is the same for the same content and mode. */
    public String state() {
      return ContentHash.of(bytes).sha256() + (executable ? " x" : "");
    }

    public boolean isSameAs(FileContent other) {
      return executable == other.executable && Arrays.equals(bytes, other.bytes);
    }
  }

  /**
   * A change of one file.
   *
   * @param before empty if the file does not exist
   * @param after empty if it is deleted
   */
  public record FileSetChange(
      String path, Optional<FileContent> before, Optional<FileContent> after) {}

  /** Returns why the caller may not change a file; empty if it may. */
  public Optional<String> refusal(String path) throws IOException {
    try {
      if (!new WritablePaths(workspace).find(path).subject().equals(path)) {
        return Optional.of(ShownPath.of(path) + " leads through a symbolic link");
      }
    } catch (PathRefused refused) {
      return Optional.of(refused.getMessage());
    }
    if (workspace.deniesReading(path)) {
      return Optional.of(
          ShownPath.of(path)
              + " cannot be changed: its name is on the list errand.tools.deny-read");
    }
    return permissions
        .denialOfAll(List.of(WRITE))
        .or(() -> permissions.denialOfPath(WRITE, path))
        .map(denial ->
            "Permission denied: this session may not use write on %s: %s"
                .formatted(ShownPath.of(path), denial.reason()));
  }

  /** The paths that the current thread has locked. */
  public interface LockedPaths extends AutoCloseable {
    @Override
    void close();
  }

  /** Waits until no other tool call changes one of the files. */
  public LockedPaths lock(Collection<String> paths) {
    return FileLocks.lock(paths.stream().map(workspace.root()::resolve).toList())::close;
  }

  /** Returns a file as it is now; empty if it does not exist. */
  public Optional<FileContent> read(String path) throws IOException {
    var file = at(path);
    try (var folder = workspace.openFolder(file.folder());
        var open = TextFile.read(folder.file(file.name()))) {
      var bytes = open.bytes(FileReplacer.MAX_OLD_BYTES + 1);
      if (bytes.length > FileReplacer.MAX_OLD_BYTES) {
        throw new FileSystemException(
            path, null, "is larger than 10 MB and cannot be changed by a patch");
      }
      return Optional.of(new FileContent(bytes, folder.isExecutable(file.name())));
    } catch (NoSuchFileException missing) {
      return Optional.empty();
    }
  }

  /**
   * Makes the changes. If one fails, those that were made are undone.
   *
   * @throws IOException a file was changed in the meantime, or cannot be written
   */
  public void put(List<FileSetChange> changes) throws IOException {
    var made = new ArrayList<FileSetChange>();
    try {
      // Deletions last: after a crash, the content of a renamed file exists at least once.
      for (var change : changes) {
        if (change.after().isPresent()) {
          write(change);
          made.add(change);
          Failpoint.FILE_PATCHED.pass();
        }
      }
      for (var change : changes) {
        if (change.after().isEmpty()) {
          delete(change);
          made.add(change);
        }
      }
    } catch (IOException | RuntimeException failed) {
      undo(made.reversed(), failed);
      throw failed;
    }
  }

  private void write(FileSetChange change) throws IOException {
    var file = at(change.path());
    var after = change.after().orElseThrow();
    workspace.createFolders(file);
    try (var folder = workspace.openFolder(file.folder())) {
      folder
          .replacement(file.name())
          .put(after.bytes(), Optional.of(after.executable()), () -> isUnchanged(change));
    }
  }

  private void delete(FileSetChange change) throws IOException {
    var file = at(change.path());
    if (!isUnchanged(change)) {
      throw new FileSystemException(change.path(), null, "was changed in the meantime");
    }
    try (var folder = workspace.openFolder(file.folder())) {
      folder.delete(file.name());
    }
    deleteEmpty(file.folder());
  }

  private boolean isUnchanged(FileSetChange change) throws IOException {
    var now = read(change.path());
    return now.isPresent() == change.before().isPresent()
        && (now.isEmpty() || now.get().isSameAs(change.before().orElseThrow()));
  }

  /** Git knows no empty directories: with its last file, a directory is deleted. */
  private void deleteEmpty(Path folder) {
    try {
      for (var next = folder; next != null && !next.toString().isEmpty(); next = next.getParent()) {
        var parent = next.getParent() == null ? Path.of("") : next.getParent();
        try (var open = workspace.openFolder(parent)) {
          open.deleteFolder(next.getFileName());
        }
      }
    } catch (IOException kept) {
      // contains something else, was deleted by another process, or cannot be deleted
    }
  }

  /** An interrupt must not leave half of the changes. */
  private void undo(List<FileSetChange> made, Exception reason) {
    var interrupted = Thread.interrupted();
    for (var change : made) {
      try {
        var back = new FileSetChange(change.path(), change.after(), change.before());
        if (back.after().isPresent()) {
          write(back);
        } else {
          delete(back);
        }
      } catch (IOException | RuntimeException failed) {
        reason.addSuppressed(failed);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static WorkspacePath at(String path) {
    return new WorkspacePath(Path.of(path), WorkspacePath.PathKind.FILE);
  }
}
