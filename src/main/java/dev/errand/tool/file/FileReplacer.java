package dev.errand.tool.file;

import dev.errand.tool.ToolContext;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.Optional;

/**
 * Changes files so that nobody's work is lost, and so that a call which is made again after a crash
 * changes them once (architecture, rule 9): a file is changed only when the session saw its present
 * content, and what is to be done is written down before it is done.
 */
final class FileReplacer {

  /** What a file may have after it was changed. */
  static final int MAX_BYTES = 5 * 1024 * 1024;

  /** What it may have before: so much is looked at to tell whether it has changed. */
  static final int MAX_OLD_BYTES = 10 * 1024 * 1024;

  private final Workspace workspace;
  private final FileMemory memory;
  private final ToolContext context;

  FileReplacer(Workspace workspace, FileMemory memory, ToolContext context) {
    this.workspace = workspace;
    this.memory = memory;
    this.context = context;
  }

  /** Makes new content out of the old. */
  interface Rewriting {
    /**
     * @param before empty when there is no such file
     */
    Rewritten rewrite(Optional<byte[]> before);
  }

  /**
   * A file's new content.
   *
   * @param answer what the model reads once the content is in its place
   */
  record Rewritten(byte[] content, String answer) {}

  /** Rewrites the file; what the model reads. */
  String replace(WorkspacePath file, Rewriting rewriting) throws IOException {
    try (var _ = FileLocks.lock(workspace.root().resolve(file.path()))) {
      var before = content(file);
      var hash = before.map(ContentHash::of);
      var planned = memory.planned(context);
      if (planned.isPresent() && hash.equals(planned.map(FileChange::after))) {
        return doneBefore(file, planned.get());
      }
      planned.ifPresentOrElse(plan -> checkUndone(file, plan, hash), () -> checkSeen(file, hash));
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

  private String doneBefore(WorkspacePath file, FileChange plan) {
    memory.saw(context, file.subject(), plan.after());
    return "%s has the new content; this was done before the worker was lost."
        .formatted(file.shown());
  }

  private static void checkUndone(WorkspacePath file, FileChange plan, Optional<ContentHash> now) {
    if (!plan.path().equals(file.subject()) || !plan.before().equals(now)) {
      throw new PathRefused(
          file.subject(),
          "was changed by somebody else while the worker of this call was lost; read it again and see whether this change is still wanted");
    }
  }

  private void checkSeen(WorkspacePath file, Optional<ContentHash> now) {
    if (now.isEmpty()) {
      return; // a file that is not there has nothing to lose
    }
    var seen = memory.lastSeen(context, file.subject());
    if (seen.isEmpty()) {
      throw new PathRefused(
          file.subject(), "exists, and was not read in this session: read it before changing it");
    }
    if (!seen.equals(now)) {
      throw new PathRefused(file.subject(), "has changed since you read it: read it again");
    }
  }

  private static void checkSize(WorkspacePath file, byte[] content) {
    if (content.length > MAX_BYTES) {
      throw new PathRefused(
          file.subject(),
          "would have %d bytes; at most %d are written".formatted(content.length, MAX_BYTES));
    }
  }

  private Optional<byte[]> content(WorkspacePath file) throws IOException {
    try (var open = workspace.openFile(file)) {
      var content = open.bytes(MAX_OLD_BYTES + 1);
      if (content.length > MAX_OLD_BYTES) {
        throw new FileSystemException(
            file.subject(), null, "is too large to be changed: it has more than 10 MB");
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
