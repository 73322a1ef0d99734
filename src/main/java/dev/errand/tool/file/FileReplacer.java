package dev.errand.tool.file;

import dev.errand.tool.ToolContext;
import dev.errand.tool.file.FileMemory.ContentHash;
import dev.errand.tool.file.FileMemory.FileChange;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.Optional;

/**
 * Changes files without losing changes of others, and only once if a call is repeated after a crash
 * (architecture, rule 9). A file is changed only if the session has seen its current content, and
 * the change is recorded before it is made.
 */
final class FileReplacer {

  /** The maximum size of a file after the change. */
  static final int MAX_BYTES = 5 * 1024 * 1024;

  /** The maximum size before the change. The whole content is read to detect changes. */
  static final int MAX_OLD_BYTES = 10 * 1024 * 1024;

  private final Workspace workspace;
  private final FileMemory memory;
  private final ToolContext context;

  FileReplacer(Workspace workspace, FileMemory memory, ToolContext context) {
    this.workspace = workspace;
    this.memory = memory;
    this.context = context;
  }

  /** Computes the new content from the old. */
  interface Rewriting {
    /**
     * @param before empty if the file does not exist
     */
    Rewritten rewrite(Optional<byte[]> before);
  }

  /**
   * The new content of a file.
   *
   * @param answer the result for the model after the content has been written
   */
  record Rewritten(byte[] content, String answer) {}

  /** Rewrites the file and returns the result for the model. */
  String replace(WorkspacePath file, Rewriting rewriting) throws IOException {
    try (var _ = FileLocks.lock(workspace.root().resolve(file.path()))) {
      var before = content(file);
      var hash = before.map(ContentHash::of);
      var planned = memory.planned(context);
      if (planned.isPresent() && hash.equals(planned.map(FileChange::after))) {
        return alreadyDone(file, planned.get());
      }
      planned.ifPresentOrElse(
          plan -> checkUnchanged(file, plan, hash), () -> checkSeen(file, hash));
      var after = rewriting.rewrite(before);
      checkSize(file, after.content());
      put(file, before, after.content());
      return after.answer();
    }
  }

  private void put(WorkspacePath file, Optional<byte[]> before, byte[] after) throws IOException {
    var change = new FileChange(file.subject(), before.map(ContentHash::of), ContentHash.of(after));
    memory.plan(context, change);
    workspace.createFolders(file);
    try (var folder = workspace.openFolder(file.folder())) {
      folder.replacement(file.name()).put(after, () -> same(before, content(file)));
    }
    memory.saw(context, file.subject(), change.after());
  }

  private String alreadyDone(WorkspacePath file, FileChange plan) {
    memory.saw(context, file.subject(), plan.after());
    return "%s already has the new content: it was written before the worker was lost."
        .formatted(file.shown());
  }

  private static void checkUnchanged(
      WorkspacePath file, FileChange plan, Optional<ContentHash> now) {
    if (!plan.path().equals(file.subject()) || !plan.before().equals(now)) {
      throw new PathRefused(
          file.subject(),
          "was changed by another process after the worker of this call was lost; read it again and decide whether the change is still needed");
    }
  }

  private void checkSeen(WorkspacePath file, Optional<ContentHash> now) {
    if (now.isEmpty()) {
      return; // a new file replaces nothing
    }
    var seen = memory.lastSeen(context, file.subject());
    if (seen.isEmpty()) {
      throw new PathRefused(
          file.subject(), "exists but was not read in this session; read it before you change it");
    }
    if (!seen.equals(now)) {
      throw new PathRefused(file.subject(), "has changed since you read it; read it again");
    }
  }

  private static void checkSize(WorkspacePath file, byte[] content) {
    if (content.length > MAX_BYTES) {
      throw new PathRefused(
          file.subject(),
          "would have %d bytes; the maximum is %d".formatted(content.length, MAX_BYTES));
    }
  }

  private Optional<byte[]> content(WorkspacePath file) throws IOException {
    try (var open = workspace.openFile(file)) {
      var content = open.bytes(MAX_OLD_BYTES + 1);
      if (content.length > MAX_OLD_BYTES) {
        throw new FileSystemException(
            file.subject(), null, "is larger than 10 MB and cannot be changed");
      }
      return Optional.of(content);
    } catch (NoSuchFileException missing) {
      return Optional.empty();
    }
  }

  private static boolean same(Optional<byte[]> one, Optional<byte[]> other) {
    return Arrays.equals(one.orElse(null), other.orElse(null));
  }
}
