package dev.errand.tool.file;

import dev.errand.tool.ToolContext;
import dev.errand.tool.file.FileMemory.ContentHash;
import dev.errand.tool.file.FileMemory.FileChange;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** A {@link FileMemory} without a database that can simulate a crash. */
public final class RememberedFiles implements FileMemory {

  /** Ends a call like a crash of the worker. */
  static final class Crash extends Error {

    private static final long serialVersionUID = 1;
  }

  private final Map<String, ContentHash> seen = new ConcurrentHashMap<>();
  private final Map<String, FileChange> plans = new ConcurrentHashMap<>();
  private boolean crashesAfterPlan;
  private boolean crashesBeforeSeeing;

  /** Crashes after the next change is recorded. */
  public void crashAfterNextPlan() {
    crashesAfterPlan = true;
  }

  /** Crashes after the next change is made. */
  public void crashAfterNextChange() {
    crashesBeforeSeeing = true;
  }

  @Override
  public void saw(ToolContext context, String path, ContentHash content) {
    if (crashesBeforeSeeing) {
      crashesBeforeSeeing = false;
      throw new Crash();
    }
    seen.put(context.session() + path, content);
  }

  @Override
  public Optional<ContentHash> lastSeen(ToolContext context, String path) {
    return Optional.ofNullable(seen.get(context.session() + path));
  }

  @Override
  public void plan(ToolContext context, FileChange change) {
    plans.put(context.session() + context.toolCallId(), change);
    if (crashesAfterPlan) {
      crashesAfterPlan = false;
      throw new Crash();
    }
  }

  @Override
  public Optional<FileChange> planned(ToolContext context) {
    return Optional.ofNullable(plans.get(context.session() + context.toolCallId()));
  }
}
