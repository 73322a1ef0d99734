package dev.errand.task;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.conversation.UntrustedText;
import dev.errand.worktree.ChangeStore.WorktreeChange;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The changes of a task with {@code isolation: worktree} in its copy of the workspace. One
 * component per field of the wire format.
 *
 * @param truncated the patch is too large to be stored
 * @param unavailable true when the node that ended the task could not read the copy, otherwise left
 *     out
 * @param notes what the copy and the patch do not contain, as sentences
 */
public record TaskChanges(
    List<WorktreeChange.ChangedFile> files,
    int insertions,
    int deletions,
    boolean truncated,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Boolean unavailable,
    @JsonIgnore List<String> notes) {

  private static final ObjectMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  /**
   * @param stored the columns of the change as a JSON object; null when there is none
   */
  public static @Nullable TaskChanges read(@Nullable String stored) {
    try {
      return stored == null ? null : of(JSON.readValue(stored, WorktreeChange.class));
    } catch (JsonProcessingException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  /** Returns these changes with the names of files, which the child chose, quoted as data. */
  public TaskChanges quoted() {
    var quoted =
        files.stream()
            .map(file ->
                new WorktreeChange.ChangedFile(UntrustedText.quoted(file.path()), file.status()))
            .toList();
    return new TaskChanges(quoted, insertions, deletions, truncated, unavailable, notes);
  }

  /** Returns why an ended task has no patch. */
  public static String whyMissing(Task task) {
    var changes = task.changes();
    if (changes == null) {
      return "%s worked in the workspace of its parent; only tasks with isolation: worktree have a patch"
          .formatted(task.id());
    }
    if (changes.truncated()) {
      return "the changes of %s are too large to be stored; its copy of the workspace is kept until its session is deleted"
          .formatted(task.id());
    }
    return "the changes of %s are not available: %s"
        .formatted(
            task.id(),
            changes.notes().isEmpty()
                ? "its copy of the workspace could not be read when it ended"
                : String.join(" ", changes.notes()));
  }

  private static TaskChanges of(WorktreeChange change) {
    return new TaskChanges(
        change.files(),
        change.insertions(),
        change.deletions(),
        change.truncated(),
        change.unavailable() ? true : null,
        change.notes());
  }
}
