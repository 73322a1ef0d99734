package dev.errand.tool.file;

import dev.errand.conversation.TextCut;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import org.jspecify.annotations.Nullable;

/**
 * Reads text line by line and keeps only the beginning of a long line, so that the size of a file
 * does not matter. Invalid bytes become the replacement character; a byte order mark and line ends
 * (line feed, carriage return, or both) are removed.
 */
public final class TextLines {

  /**
   * A line.
   *
   * @param text the line, or the beginning of a long one
   * @param length the number of characters of the whole line
   */
  public record TextLine(String text, long length) {

    /** Returns at most {@code max} characters, and a remark if there are more. */
    public String shown(int max) {
      return length <= max
          ? text
          : TextCut.withEllipsis(text, max) + " [cut: the line has " + length + " characters]";
    }
  }

  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private final Reader reader;
  private final int maxChars;
  private final char[] buffer = new char[8_192];
  private int position;
  private int end;
  private boolean started;

  public TextLines(InputStream bytes, TextEncoding encoding, int maxChars) {
    this.reader = new InputStreamReader(bytes, encoding.charset());
    this.maxChars = maxChars;
  }

  /** Returns the next line; null at the end. */
  public @Nullable TextLine next() throws IOException {
    if (!fill()) {
      return null;
    }
    var text = new StringBuilder();
    var length = 0L;
    while (fill()) {
      var stop = lineEnd();
      text.append(buffer, position, Math.min(stop - position, maxChars - text.length()));
      length += stop - position;
      position = stop;
      if (stop < end) {
        passLineEnd();
        break;
      }
    }
    return new TextLine(text.toString(), length);
  }

  private int lineEnd() {
    var at = position;
    while (at < end && buffer[at] != '\n' && buffer[at] != '\r') {
      at++;
    }
    return at;
  }

  private void passLineEnd() throws IOException {
    var isReturn = buffer[position++] == '\r';
    if (isReturn && fill() && buffer[position] == '\n') {
      position++;
    }
  }

  private boolean fill() throws IOException {
    if (position < end) {
      return true;
    }
    end = Math.max(0, reader.read(buffer));
    position = !started && end > 0 && buffer[0] == BYTE_ORDER_MARK ? 1 : 0;
    started = true;
    return position < end || (end > 0 && fill());
  }
}
