package dev.errand.tool.patch;

import java.util.List;

/** The outcome of a patch, or of its check. */
public sealed interface PatchOutcome {

  /** The patch applies, and was applied unless it was only checked. */
  record Applied(List<PatchedFile> files) implements PatchOutcome {}

  /**
   * The changes of the patch are there already.
   *
   * @param changedSince files that were changed after it was applied
   */
  record AlreadyApplied(List<String> changedSince) implements PatchOutcome {}

  /** Nothing was changed: the caller may not change some of the files. */
  record NotPermitted(List<String> reasons) implements PatchOutcome {}

  /** Nothing was changed: some files do not fit. */
  record Conflicts(List<Conflict> files) implements PatchOutcome {}

  /**
   * A worker was lost in the middle, and another process changed files since.
   *
   * @param changed files that have the changes of the patch
   * @param unchanged files that do not have them
   * @param unknown files that were changed since
   */
  record PartlyApplied(List<String> changed, List<String> unchanged, List<String> unknown)
      implements PatchOutcome {}

  /**
   * A file that does not fit.
   *
   * @param hunks the changes that have no place, with their lines
   */
  record Conflict(String path, String why, List<String> hunks) {}
}
