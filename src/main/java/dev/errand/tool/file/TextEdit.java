package dev.errand.tool.file;

import dev.errand.tool.ToolFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Replaces text exactly, or explains why it cannot. */
record TextEdit(String oldText, String newText, boolean all) {

  /**
   * @param count the number of replaced occurrences
   */
  record Edited(String text, int count) {}

  private static final int MAX_LINES_NAMED = 10;
  private static final Pattern LINE_NUMBER = Pattern.compile("^ *\\d+\\t");

  TextEdit {
    if (oldText.equals(newText)) {
      throw new ToolFailure("new_string: is the same as old_string, so nothing would change");
    }
  }

  Edited applyTo(String text) {
    if (hasWindowsLines(text) && !withWindowsLines().equals(this)) {
      return withWindowsLines().applyTo(text);
    }
    var occurrences = occurrences(text);
    if (occurrences.isEmpty()) {
      throw new ToolFailure("old_string: was not found. " + hint(text));
    }
    if (occurrences.size() > 1 && !all) {
      throw new ToolFailure(
          "old_string: occurs %d times, on lines %s; include more of the surrounding text, or set replace_all"
              .formatted(occurrences.size(), lines(text, occurrences)));
    }
    return new Edited(text.replace(oldText, newText), occurrences.size());
  }

  /** Models write line feeds; a file with Windows line ends keeps them. */
  private TextEdit withWindowsLines() {
    return new TextEdit(windowsLines(oldText), windowsLines(newText), all);
  }

  private static boolean hasWindowsLines(String text) {
    return text.contains("\n") && windowsLines(text).equals(text);
  }

  private static String windowsLines(String text) {
    return text.replace("\r\n", "\n").replace("\n", "\r\n");
  }

  private List<Integer> occurrences(String text) {
    var occurrences = new ArrayList<Integer>();
    var at = text.indexOf(oldText);
    while (at >= 0) {
      occurrences.add(at);
      at = text.indexOf(oldText, at + oldText.length());
    }
    return occurrences;
  }

  private static String lines(String text, List<Integer> occurrences) {
    var named =
        occurrences.stream()
            .limit(MAX_LINES_NAMED)
            .map(at -> String.valueOf(lineOf(text, at)))
            .collect(Collectors.joining(", "));
    return occurrences.size() > MAX_LINES_NAMED ? named + ", …" : named;
  }

  private static long lineOf(String text, int position) {
    return text.chars().limit(position).filter(character -> character == '\n').count() + 1;
  }

  private String hint(String text) {
    if (LINE_NUMBER.matcher(oldText).find()) {
      return "Leave out the line numbers and tabs that read shows.";
    }
    if (!newText.isBlank() && text.contains(newText)) {
      return "The file already contains new_string: the edit may have been made before.";
    }
    var similar = similarLine(text);
    return similar > 0
        ? "Line %d differs only in white space: copy it exactly as read shows it."
            .formatted(similar)
        : "Read the file again: old_string must match it exactly, including white space.";
  }

  /**
   * Returns the first line of the file that equals the first non-blank line of {@code oldText}
   * except for white space; 0 if there is none.
   */
  private int similarLine(String text) {
    var wanted = oldText.lines().map(String::strip).filter(line -> !line.isEmpty()).findFirst();
    var lines = text.lines().map(String::strip).toList();
    return wanted.map(line -> lines.indexOf(line) + 1).orElse(0);
  }
}
