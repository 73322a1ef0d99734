package dev.errand.tool.patch;

import java.util.List;
import java.util.Optional;

/**
 * Stores what a session is about to do with one patch, before it does so (architecture, rule 9).
 */
public interface PatchMemory {

  /**
   * A file. A state is a text that tells contents apart.
   *
   * @param before the state in which the file was found
   */
  record PlannedFile(String path, String before, String after) {}

  /**
   * The plan of a session for a patch, or what it has done with it.
   *
   * @param applied whether all files were changed
   */
  record PatchPlan(List<PlannedFile> files, boolean applied) {}

  /** Returns the latest plan; empty if the session never applied the patch. */
  Optional<PatchPlan> latest();

  /** Records the changes that are about to be made, in place of earlier ones. */
  void plan(List<PlannedFile> files);

  /** Records that all files were changed. */
  void applied();
}
