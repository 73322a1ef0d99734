package dev.errand.delegate;

import dev.errand.conversation.TaskId;
import dev.errand.conversation.TextCut;
import dev.errand.conversation.UntrustedText;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.file.ShownPath;
import dev.errand.tool.patch.PatchOutcome;
import dev.errand.tool.patch.PatchedFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The report about a patch that a model reads. The words of the child are quoted as data. */
final class PatchReport {

  private static final int MAX_FILES = 100;
  private static final int MAX_HUNK_CHARS = 20_000;
  private static final int MAX_PATCH_CHARS = 40_000;

  private PatchReport() {}

  /** Returns what was done. */
  static ToolOutcome of(TaskId task, PatchOutcome outcome) {
    return outcome instanceof PatchOutcome.Applied(var files)
        ? ToolOutcome.ok("Applied the changes of %s:\n%s".formatted(task, changed(files)))
        : other(task, outcome);
  }

  /** Returns what would be done, with the patch. */
  static ToolOutcome ofCheck(TaskId task, PatchOutcome outcome, byte[] patch) {
    return outcome instanceof PatchOutcome.Applied(var files)
        ? ToolOutcome.ok(
            "The changes of %s can be applied; nothing was changed yet:\n%s\n\n%s"
                .formatted(
                    task,
                    changed(files),
                    quoted(new String(patch, StandardCharsets.UTF_8), MAX_PATCH_CHARS)))
        : other(task, outcome);
  }

  /**
   * Returns the answer that a later task of the same child was applied, whose patch has the changes
   * of both.
   */
  static ToolOutcome contained(TaskId task, TaskId later) {
    return ToolOutcome.ok(
        "The changes of %s were applied already, and contain those of %s; nothing was changed."
            .formatted(later, task));
  }

  private static ToolOutcome other(TaskId task, PatchOutcome outcome) {
    return switch (outcome) {
      case PatchOutcome.Applied _ -> throw new IllegalStateException("reported by the callers");
      case PatchOutcome.AlreadyApplied(var since) when since.isEmpty() ->
          ToolOutcome.ok(
              "The changes of %s were applied already; nothing was changed.".formatted(task));
      case PatchOutcome.AlreadyApplied(var since) ->
          ToolOutcome.ok(
              "The changes of %s were applied already; nothing was changed. These files were changed since:\n%s"
                  .formatted(task, paths(since)));
      case PatchOutcome.NotPermitted(var reasons) ->
          ToolOutcome.error(
              "Nothing was changed, because some files cannot be changed:\n"
                  + lines(reasons, Function.identity()));
      case PatchOutcome.Conflicts(var files) -> conflicts(files);
      case PatchOutcome.PartlyApplied(var changed, var unchanged, var unknown) ->
          ToolOutcome.error(
              """
              The worker was lost while it applied the changes of %s, and another process changed files since. \
              Nothing was changed now; read the files and make the missing changes with edit.
              Changed by another process since:
              %s
              With the changes of the task:
              %s
              Without them:
              %s\
              """
                  .formatted(task, paths(unknown), paths(changed), paths(unchanged)));
    };
  }

  private static ToolOutcome conflicts(List<PatchOutcome.Conflict> files) {
    var hunks =
        files.stream()
            .filter(file -> !file.hunks().isEmpty())
            .map(file -> ShownPath.of(file.path()) + ", " + String.join("\n", file.hunks()))
            .collect(Collectors.joining("\n"));
    var text =
        "Nothing was changed, because these files conflict:\n"
            + lines(
                files,
                file ->
                    "%s %s%s"
                        .formatted(ShownPath.of(file.path()), file.why(), places(file.hunks())));
    return ToolOutcome.error(
        hunks.isEmpty()
            ? text
            : text
                + "\nThe changes that have no place, with the lines of the task's copy:\n"
                + quoted(hunks, MAX_HUNK_CHARS)
                + "\n"
                + "Read the files and make these changes with edit. For the other files apply again"
                + " and skip these.");
  }

  /** Each hunk begins with its line. */
  private static String places(List<String> hunks) {
    return hunks.isEmpty()
        ? ""
        : hunks.stream()
            .limit(MAX_FILES)
            .map(hunk -> hunk.substring(0, hunk.indexOf(':')))
            .collect(Collectors.joining(", ", " (near ", ")"));
  }

  private static String changed(List<PatchedFile> files) {
    return lines(files, file -> file.status() + " " + ShownPath.of(file.path()));
  }

  private static String paths(List<String> paths) {
    return paths.isEmpty() ? "  none" : lines(paths, ShownPath::of);
  }

  private static <T> String lines(Collection<T> items, Function<T, String> line) {
    var more = items.size() - MAX_FILES;
    return items.stream()
            .limit(MAX_FILES)
            .map(item -> "  " + UntrustedText.line(line.apply(item)))
            .collect(Collectors.joining("\n"))
        + (more > 0 ? "\n  and %d more".formatted(more) : "");
  }

  private static String quoted(String text, int most) {
    return "<task_patch>\n%s\n</task_patch>"
        .formatted(UntrustedText.quoted(TextCut.withEllipsis(text.stripTrailing(), most)));
  }

  /** Returns why the files could not be changed; whether they still are as before. */
  static String failure(IOException failed) {
    var reason =
        failed instanceof FileSystemException known && known.getReason() != null
            ? ShownPath.of(Objects.requireNonNullElse(known.getFile(), ""))
                + " "
                + known.getReason()
            : "input/output error";
    return "The changes were not applied: %s. %s"
        .formatted(
            reason,
            failed.getSuppressed().length == 0
                ? "Nothing was changed."
                : "Some files may have been changed; read them before you continue.");
  }
}
