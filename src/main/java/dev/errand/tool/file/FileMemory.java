package dev.errand.tool.file;

import dev.errand.tool.ToolContext;
import java.util.Optional;

/**
 * Stores what a session knows about the files of its workspace: the content that it last saw, and
 * the change that a call is about to make. Kept as long as the session. Paths are relative to the
 * workspace with all links resolved. Every method is short and holds no resource afterwards. A
 * write by a run that has lost its session throws and changes nothing.
 */
public interface FileMemory {

  /** Records that the session has seen this content of the file. */
  void saw(ToolContext context, String path, ContentHash content);

  /** Returns the content that the session last saw; empty if it has never seen the file. */
  Optional<ContentHash> lastSeen(ToolContext context, String path);

  /** Records the change that this call is about to make. */
  void plan(ToolContext context, FileChange change);

  /** Returns the change that an earlier attempt of this call recorded; empty if there is none. */
  Optional<FileChange> planned(ToolContext context);
}
