package dev.errand.tool.search;

import dev.errand.tool.OutputCap;
import dev.errand.tool.file.ShownPath;
import dev.errand.tool.file.TextEncoding;
import dev.errand.tool.file.TextFile;
import dev.errand.tool.file.TextLines;
import dev.errand.tool.file.Workspace;
import dev.errand.tool.file.WorkspacePath;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Predicate;

/** Applies a {@link GrepReport} to the text files of a workspace. */
final class GrepSearch {

  static final int MAX_FILE_BYTES = 10 * 1024 * 1024;

  private static final int MAX_NAMED = 10;

  /**
   * The parameters of a search.
   *
   * @param included selects files by their path relative to the workspace, with {@code /}
   */
  record Query(
      LineMatch match, Predicate<String> included, GrepReport report, RecentMatches matches) {}

  private final Workspace workspace;
  private final Query query;
  private final NavigableSet<String> tooLarge = new ConcurrentSkipListSet<>();
  private final NavigableSet<String> linked = new ConcurrentSkipListSet<>();

  GrepSearch(Workspace workspace, Query query) {
    this.workspace = workspace;
    this.query = query;
  }

  /** Returns the matches and the files that were not searched. */
  String search(WorkspacePath start) throws IOException {
    var walk = new TreeWalk(workspace, query.match().cancel(), this::visit);
    if (start.kind() == WorkspacePath.PathKind.FOLDER) {
      walk.walk(start);
    } else {
      searchFile(start);
    }
    var found = query.matches().found();
    var isOfLines = found.lines() == 0 && query.match().mayMeanLines();
    return text(found)
        + (isOfLines ? "\n(Lines are searched one by one: no match spans several.)" : "")
        + skipped("larger than 10 MB", tooLarge)
        + skipped("with more than one hard link", linked)
        + walk.remark(found.lines() == 0);
  }

  private void searchFile(WorkspacePath file) throws IOException {
    try (var open = workspace.openFile(file)) {
      if (open.size() > MAX_FILE_BYTES) {
        tooLarge.add(file.shown());
      } else {
        search(file.subject(), file.path(), FileTime.fromMillis(0), open);
      }
    }
  }

  private void visit(TreeWalk.VisitedFile found) throws IOException {
    if (!query.included().test(found.path())
        || !query.matches().wants(found.modifiedAt(), found.path())) {
      return;
    }
    if (found.size() > MAX_FILE_BYTES) {
      tooLarge.add(ShownPath.of(found.path()));
      return;
    }
    try (var file = found.open()) {
      search(found.path(), found.file(), found.modifiedAt(), file);
    }
  }

  private void search(String path, Path exact, FileTime modifiedAt, TextFile file)
      throws IOException {
    if (file.isBinary()) {
      return;
    }
    if (!workspace.isReadable(exact)) {
      linked.add(ShownPath.of(path));
      return;
    }
    var content = file.bytes(MAX_FILE_BYTES);
    var encoding = TextEncoding.of(content, true);
    var lines = new TextLines(new ByteArrayInputStream(content), encoding, MAX_FILE_BYTES);
    try {
      var shown = query.report().of(ShownPath.of(path), lines);
      query.matches().add(new RecentMatches.FileMatches(modifiedAt, path, shown));
    } catch (CancelFlag.TimeIsOver _) {
      // The remark of the walk says that not everything was searched.
    }
  }

  private static String text(OutputCap found) {
    if (found.isFull()) {
      return found.text() + "\n(There are more; narrow the search or raise head_limit.)";
    }
    return found.lines() == 0 ? "No matches." : found.text();
  }

  private static String skipped(String why, NavigableSet<String> files) {
    if (files.isEmpty()) {
      return "";
    }
    var named = String.join(", ", files.stream().limit(MAX_NAMED).toList());
    var more = files.size() - MAX_NAMED;
    return "\n(Not searched, %s: %s%s)"
        .formatted(why, named, more > 0 ? " and %d more".formatted(more) : "");
  }
}
