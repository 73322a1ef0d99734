package dev.errand.tool.patch;

import dev.errand.tool.file.TextEncoding;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A place of a text that is changed. Lines are bytes as ISO 8859-1, each with its line end, if it
 * has one.
 *
 * @param number in the patch of its file, from 1
 * @param start the index of the first line before the change, from 0
 * @param newStart the index of the first line after the change
 * @param leading lines at the start that are not changed
 * @param trailing lines at the end that are not changed
 */
record Hunk(
    int number,
    int start,
    int newStart,
    List<String> before,
    List<String> after,
    int leading,
    int trailing) {

  /** Returns the hunk with at most one line that is not changed at each end. */
  Hunk narrowed() {
    var top = Math.max(0, leading - 1);
    var bottom = Math.max(0, trailing - 1);
    return new Hunk(
        number,
        start + top,
        newStart + top,
        before.subList(top, before.size() - bottom),
        after.subList(top, after.size() - bottom),
        leading - top,
        trailing - bottom);
  }

  /** Returns the way back. */
  Hunk reversed() {
    return new Hunk(number, newStart, start, after, before, leading, trailing);
  }

  /** Returns the hunk as a patch shows it. */
  String shown() {
    var text = new StringBuilder("line %d:\n".formatted(start + 1));
    append(text, ' ', before.subList(0, leading));
    append(text, '-', before.subList(leading, before.size() - trailing));
    append(text, '+', after.subList(leading, after.size() - trailing));
    append(text, ' ', before.subList(before.size() - trailing, before.size()));
    return text.toString();
  }

  private static void append(StringBuilder text, char kind, List<String> lines) {
    var whole = String.join("", lines).getBytes(StandardCharsets.ISO_8859_1);
    var charset = TextEncoding.of(whole, true).charset();
    for (var line : lines) {
      var bytes = line.getBytes(StandardCharsets.ISO_8859_1);
      text.append(kind).append(new String(bytes, charset));
      if (!line.endsWith("\n")) {
        text.append('\n');
      }
    }
  }

  /** The lines of a hunk while it is read. */
  record HunkLines(List<String> before, List<String> after, StringBuilder kinds) {

    HunkLines() {
      this(new ArrayList<>(), new ArrayList<>(), new StringBuilder());
    }

    void add(String line) {
      var content = line.substring(1);
      switch (line.charAt(0)) {
        case ' ' -> {
          before.add(content);
          after.add(content);
        }
        case '-' -> before.add(content);
        case '+' -> after.add(content);
        case '\\' -> {
          removeLineEnd();
          return;
        }
        default -> throw new UnusablePatch("a line of it starts with none of space, +, - and \\");
      }
      kinds.append(line.charAt(0));
    }

    /** The line before the marker is the last one of its text and has no line end. */
    private void removeLineEnd() {
      var kind = kinds.isEmpty() ? '\\' : kinds.charAt(kinds.length() - 1);
      if (kind == ' ' || kind == '-') {
        before.add(withoutEnd(before.removeLast()));
      }
      if (kind == ' ' || kind == '+') {
        after.add(withoutEnd(after.removeLast()));
      }
    }

    private static String withoutEnd(String line) {
      return line.endsWith("\n") ? line.substring(0, line.length() - 1) : line;
    }

    Hunk hunk(int number, int start, int newStart) {
      var leading = 0;
      while (leading < kinds.length() && kinds.charAt(leading) == ' ') {
        leading++;
      }
      var trailing = 0;
      while (trailing < kinds.length() - leading
          && kinds.charAt(kinds.length() - 1 - trailing) == ' ') {
        trailing++;
      }
      return new Hunk(
          number, start, newStart, List.copyOf(before), List.copyOf(after), leading, trailing);
    }
  }
}
