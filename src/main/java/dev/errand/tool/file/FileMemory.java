package dev.errand.tool.file;

import dev.errand.tool.ToolContext;
import java.util.Optional;

/**
 * What a session knows of its workspace's files, kept for as long as the session is: the content
 * that it saw last, and the change that a call is about to make. Each method is quick and done
 * before the file work goes on; none holds anything open. Paths are relative to the workspace with
 * all links resolved. A write of a run that lost its session throws and changes nothing.
 */
public interface FileMemory {

  /** Keeps that the session now knows the file with this content. */
  void saw(ToolContext context, String path, ContentHash content);

  /** The content that the session saw last; empty when it never saw the file. */
  Optional<ContentHash> lastSeen(ToolContext context, String path);

  /** Writes down what this call is about to do, before it does it. */
  void plan(ToolContext context, FileChange change);

  /** What this call wrote down when it was made before; empty when it did not get so far. */
  Optional<FileChange> planned(ToolContext context);
}
