package dev.errand.tool.patch;

import java.util.ArrayList;
import java.util.List;

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
