package dev.errand.tool.search;

import dev.errand.tool.OutputCap;
import dev.errand.tool.file.TextLines;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The output of grep for one file. Used by several threads. */
sealed interface GrepReport {

  /** Returns the lines of the result for one file; empty if nothing matches. */
  List<String> of(String path, TextLines lines) throws IOException;

  /** The path of each file with a match. */
  record MatchingFiles(LineMatch match) implements GrepReport {

    @Override
    public List<String> of(String path, TextLines lines) throws IOException {
      for (var line = lines.next(); line != null; line = lines.next()) {
        if (match.isIn(line)) {
          return List.of(path);
        }
      }
      return List.of();
    }
  }

  /** The lines {@code path:count}, the number of matching lines. */
  record MatchCounts(LineMatch match) implements GrepReport {

    @Override
    public List<String> of(String path, TextLines lines) throws IOException {
      var count = 0;
      for (var line = lines.next(); line != null; line = lines.next()) {
        count += match.isIn(line) ? 1 : 0;
      }
      return count == 0 ? List.of() : List.of(path + ":" + count);
    }
  }

  /**
   * The lines {@code path:line:text} for each matching line and {@code path-line-text} for {@code
   * context} lines around it; {@code --} between groups that are not adjacent. Stops when a result
   * is full.
   */
  record MatchingLines(LineMatch match, int context, int maxLines) implements GrepReport {

    private static final int MAX_LINE_CHARS = 500;

    @Override
    public List<String> of(String path, TextLines lines) throws IOException {
      var groups = new Groups(path);
      TextLines.@Nullable TextLine line = lines.next();
      for (int number = 1; line != null && !groups.isFull(); number++) {
        groups.add(number, line, match.isIn(line));
        line = lines.next();
      }
      return groups.shown;
    }

    private final class Groups {

      private final String path;
      private final List<String> shown = new ArrayList<>();
      private final Deque<String> before = new ArrayDeque<>();
      private long chars;
      private int after;
      private boolean apart;

      Groups(String path) {
        this.path = path;
      }

      boolean isFull() {
        return shown.size() > maxLines || chars > OutputCap.MAX_CHARS;
      }

      void add(int number, TextLines.TextLine line, boolean matches) {
        if (matches) {
          begin();
          show(text(number, ':', line));
          after = context;
        } else if (after > 0) {
          show(text(number, '-', line));
          after--;
        } else if (context > 0) {
          before.add(text(number, '-', line));
          if (before.size() > context) {
            before.remove();
            apart = true;
          }
        }
      }

      private void begin() {
        if (apart && !shown.isEmpty()) {
          show("--");
        }
        before.forEach(this::show);
        before.clear();
        apart = false;
      }

      private void show(String line) {
        shown.add(line);
        chars += line.length();
      }

      private String text(int number, char separator, TextLines.TextLine line) {
        return path + separator + number + separator + line.shown(MAX_LINE_CHARS);
      }
    }
  }
}
