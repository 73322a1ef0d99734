package dev.errand.tool;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/** What grep tells of the files that it searches, one after the other. */
sealed interface GrepReport {

  /** Searches one more file. */
  void search(String path, TextLines lines) throws IOException;

  /** What was found. */
  OutputCap found();

  /** The paths of the files with a match. */
  record MatchingFiles(LineMatch match, OutputCap found) implements GrepReport {

    @Override
    public void search(String path, TextLines lines) throws IOException {
      for (var line = lines.next(); line != null; line = lines.next()) {
        if (match.isIn(line)) {
          found.add(path);
          return;
        }
      }
    }
  }

  /** {@code path:number of matching lines}. */
  record MatchCounts(LineMatch match, OutputCap found) implements GrepReport {

    @Override
    public void search(String path, TextLines lines) throws IOException {
      var count = 0;
      for (var line = lines.next(); line != null; line = lines.next()) {
        count += match.isIn(line) ? 1 : 0;
      }
      if (count > 0) {
        found.add(path + ":" + count);
      }
    }
  }

  /**
   * {@code path:line:text} of each matching line and {@code path-line-text} of {@code context}
   * lines around it; {@code --} between groups that are not next to each other.
   */
  final class MatchingLines implements GrepReport {

    private static final int MAX_LINE_CHARS = 500;

    private final LineMatch match;
    private final int context;
    private final OutputCap found;
    private boolean begun;

    MatchingLines(LineMatch match, int context, OutputCap found) {
      this.match = match;
      this.context = context;
      this.found = found;
    }

    @Override
    public void search(String path, TextLines lines) throws IOException {
      var before = new ArrayDeque<String>();
      var after = 0;
      var apart = true;
      var number = 0;
      for (var line = lines.next(); line != null; line = lines.next()) {
        number++;
        if (match.isIn(line)) {
          addGroup(before, apart);
          found.add(shown(path, ':', number, line));
          after = context;
          apart = false;
        } else if (after > 0) {
          found.add(shown(path, '-', number, line));
          after--;
        } else {
          before.add(shown(path, '-', number, line));
          apart |= before.size() > context;
          trim(before);
        }
      }
    }

    private void addGroup(Deque<String> before, boolean apart) {
      if (begun && apart && context > 0) {
        found.add("--");
      }
      before.forEach(found::add);
      before.clear();
      begun = true;
    }

    private void trim(Deque<String> before) {
      if (before.size() > context) {
        before.remove();
      }
    }

    private static String shown(String path, char separator, int number, TextLines.Line line) {
      return path + separator + number + separator + line.shown(MAX_LINE_CHARS);
    }

    @Override
    public OutputCap found() {
      return found;
    }
  }
}
