package dev.errand.tool;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Predicate;

/** Leads a {@link GrepReport} through the text files of a workspace. */
final class GrepSearch {

  static final int MAX_FILE_BYTES = 10 * 1024 * 1024;

  private static final int MAX_NAMED = 10;

  private final Workspace workspace;
  private final Predicate<Path> wanted;
  private final GrepReport report;
  private final OutputCap tooLarge = new OutputCap(MAX_NAMED);
  private boolean complete = true;

  /**
   * @param wanted which files of a folder, by their path relative to it
   */
  GrepSearch(Workspace workspace, Predicate<Path> wanted, GrepReport report) {
    this.workspace = workspace;
    this.wanted = wanted;
    this.report = report;
  }

  void search(Place start) throws IOException {
    switch (start.kind()) {
      case FOLDER -> folder(start);
      case FILE -> {
        try (var file = workspace.openFile(start)) {
          file(start.shown(), file);
        }
      }
      case SPECIAL, MISSING -> throw new PathRefused(start.subject(), "does not exist");
    }
  }

  private void folder(Place start) throws IOException {
    var walk =
        new TreeWalk(found -> {
          if (wanted.test(found.path())) {
            try (var file = found.open()) {
              file(ShownPath.of(start.path().resolve(found.path())), file);
            }
          }
        });
    try (var folder = workspace.openFolder(start.path())) {
      walk.walk(folder);
    }
    complete = walk.isComplete();
  }

  private void file(String path, TextFile file) throws IOException {
    if (file.size() > MAX_FILE_BYTES) {
      tooLarge.add(path);
    } else if (!file.isBinary()) {
      report.search(path, file.lines(MAX_FILE_BYTES));
    }
  }

  /** What was not searched, a line each; empty when everything was. */
  String remarks() {
    var remarks = new StringBuilder();
    if (tooLarge.lines() > 0) {
      remarks
          .append("\n(Not searched, larger than 10 MB: ")
          .append(tooLarge.text().replace("\n", ", "))
          .append(tooLarge.isFull() ? " and %d more)".formatted(tooLarge.omitted()) : ")");
    }
    return complete ? remarks.toString() : remarks + "\n" + TreeWalk.INCOMPLETE;
  }
}
