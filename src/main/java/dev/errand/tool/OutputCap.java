package dev.errand.tool;

import java.util.StringJoiner;

/**
 * Collects the lines of a result up to a number of lines and of characters. From the first line
 * that does not fit it takes no more, and counts what it leaves out.
 */
public final class OutputCap {

  /** What one result of a file tool may have, well below what a model's context bears. */
  public static final int MAX_CHARS = 50_000;

  private final int maxLines;
  private final int maxChars;
  private final StringJoiner text = new StringJoiner("\n");
  private int lines;
  private long omitted;

  public OutputCap(int maxLines) {
    this(maxLines, MAX_CHARS);
  }

  public OutputCap(int maxLines, int maxChars) {
    this.maxLines = maxLines;
    this.maxChars = maxChars;
  }

  /** Takes the line; false when it does not fit. */
  public boolean add(String line) {
    if (isFull() || lines == maxLines || text.length() + line.length() >= maxChars) {
      omitted++;
      return false;
    }
    text.add(line);
    lines++;
    return true;
  }

  public boolean isFull() {
    return omitted > 0;
  }

  public int lines() {
    return lines;
  }

  public long omitted() {
    return omitted;
  }

  public String text() {
    return text.toString();
  }
}
