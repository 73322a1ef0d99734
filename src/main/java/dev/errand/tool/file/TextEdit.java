package dev.errand.tool.file;

import dev.errand.tool.ToolFailure;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Replaces text exactly, or explains why it cannot. */
record TextEdit(String oldText, String newText, boolean all) {

  /**
   * @param count the number of replaced occurrences
   */
  record Edited(String text, long count) {}

  private static final int MAX_LINES_NAMED = 10;
  private static final Pattern LINE_NUMBER = Pattern.compile("^ *\\d+\\t");

  TextEdit {
    if (oldText.equals(newText)) {
      throw new ToolFailure("new_string: is the same as old_string, so nothing would change");
    }
  }

  /**
   * Replaces the text in a file. A line feed stands for each kind of line end, and the new text
   * gets the line ends of the file; the rest of the file is not changed.
   *
   * @throws ToolFailure the text cannot be replaced, or the file would have more than {@link
   *     FileReplacer#MAX_BYTES} characters
   */
  Edited applyTo(String text) {
    var ends = LineEnds.of(text);
    if (ends.isEmpty() || (ends.areMixed() && oldText.contains("\r") && text.contains(oldText))) {
      var count = checkedCount(text);
      return new Edited(text.replace(oldText, newText), count);
    }
    var edit = new TextEdit(LineEnds.lineFeeds(oldText), LineEnds.lineFeeds(newText), all);
    return edit.applyToLines(text, ends);
  }

  /** Returns the same for a text whose characters are the bytes of UTF-8. */
  TextEdit ofBytes() {
    return new TextEdit(bytes(oldText), bytes(newText), all);
  }

  private static String bytes(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  /** Returns how often the text is replaced. */
  private long checkedCount(String text) {
    var count = occurrences(text).count();
    if (count == 0) {
      throw new ToolFailure("old_string: was not found. " + hint(text));
    }
    if (count > 1 && !all) {
      throw new ToolFailure(
          "old_string: occurs %d times, on lines %s; include more of the surrounding text, or set replace_all"
              .formatted(count, lines(text, count)));
    }
    var length = text.length() + count * (newText.length() - oldText.length());
    if (length > FileReplacer.MAX_BYTES) {
      throw new ToolFailure(
          "new_string: the file would have %d characters after %d replacements; the maximum is %d bytes"
              .formatted(length, count, FileReplacer.MAX_BYTES));
    }
    return count;
  }

  private Edited applyToLines(String text, LineEnds ends) {
    var withLineFeeds = LineEnds.lineFeeds(text);
    var count = checkedCount(withLineFeeds);
    var edited = new StringBuilder();
    var done = 0;
    var doneWithLineFeeds = 0;
    for (var next = occurrences(withLineFeeds).iterator(); next.hasNext(); ) {
      var at = next.nextInt();
      var from = skip(text, done, at - doneWithLineFeeds);
      edited.append(text, done, from);
      done = skip(text, from, oldText.length());
      doneWithLineFeeds = at + oldText.length();
      var usual = ends.areMixed() ? nearestLineEnd(text, done) : ends.usual();
      edited.append(new ReplacedLines(text.substring(from, done), usual).with(newText));
    }
    return new Edited(edited.append(text, done, text.length()).toString(), count);
  }

  /** Skips characters, where a Windows line end is one. */
  private static int skip(String text, int from, int characters) {
    var at = from;
    for (int i = 0; i < characters; i++) {
      at += text.startsWith("\r\n", at) ? 2 : 1;
    }
    return at;
  }

  /** Returns the end of the line in which a position is, or of the line before the last. */
  private static String nearestLineEnd(String text, int position) {
    var at = position;
    while (at < text.length() && "\r\n".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    if (at == text.length()) {
      at = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'));
      at -= at > 0 && text.startsWith("\r\n", at - 1) ? 1 : 0;
    }
    return text.startsWith("\r\n", at) ? "\r\n" : text.substring(at, at + 1);
  }

  /** Returns the positions of the text to replace. A file may have millions of them. */
  private IntStream occurrences(String text) {
    return IntStream.iterate(
        text.indexOf(oldText), at -> at >= 0, at -> text.indexOf(oldText, at + oldText.length()));
  }

  private String lines(String text, long count) {
    var named =
        occurrences(text)
            .limit(MAX_LINES_NAMED)
            .mapToObj(at -> String.valueOf(lineOf(text, at)))
            .collect(Collectors.joining(", "));
    return count > MAX_LINES_NAMED ? named + ", …" : named;
  }

  private static long lineOf(String text, int position) {
    return text.chars().limit(position).filter(character -> character == '\n').count() + 1;
  }

  private String hint(String text) {
    if (oldText.contains("\uFFFD") || oldText.contains(bytes("\uFFFD"))) {
      return "It contains \uFFFD, which read shows for bytes that are not text: leave them out.";
    }
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
    var wanted = oldText.strip().lines().findFirst().orElse("").strip();
    if (wanted.isEmpty()) {
      return 0;
    }
    var number = 0;
    for (var lines = text.lines().iterator(); lines.hasNext(); ) {
      number++;
      if (lines.next().strip().equals(wanted)) {
        return number;
      }
    }
    return 0;
  }
}
