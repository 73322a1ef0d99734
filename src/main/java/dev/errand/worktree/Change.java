package dev.errand.worktree;

import java.util.List;

/**
 * What a task changed in its worktree, relative to the base.
 *
 * @param files at most {@link #MAX_FILES}, by path
 * @param truncated the patch is too large to be stored; the folder is kept
 * @param unavailable the node that ended the task could not read the folder
 * @param notes what the copy and the patch do not contain, as sentences
 */
public record Change(
    List<File> files,
    int insertions,
    int deletions,
    boolean truncated,
    boolean unavailable,
    List<String> notes) {

  /** More files are counted in a note. */
  public static final int MAX_FILES = 500;

  /** A task that never started has changed nothing. */
  static final Change NONE = new Change(List.of(), 0, 0, false, false, List.of());

  /**
   * A changed file.
   *
   * @param path relative to the workspace, with {@code /}
   * @param status {@code added}, {@code modified} or {@code deleted}
   */
  public record File(String path, String status) {}

  public Change {
    files = List.copyOf(files);
    notes = List.copyOf(notes);
  }

  static Change unavailable(String why) {
    return new Change(List.of(), 0, 0, false, true, List.of(why));
  }
}
