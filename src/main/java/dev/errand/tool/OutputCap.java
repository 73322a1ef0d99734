package dev.errand.tool;

import java.util.StringJoiner;

/**
 * Collects the lines of a result up to a maximum number of lines and {@link #MAX_CHARS} characters.
 * After the first line that does not fit, all further lines are only counted.
 */
public final class OutputCap {

  /** The maximum size of one result of a file tool, well below the context of a model. */
  public static final int MAX_CHARS = 50_000;

  private final int maxLines;
  private final StringJoiner text = new StringJoiner("\n");
  private int lines;
  private long omitted;

  public OutputCap(int maxLines) {
    this.maxLines = maxLines;
  }

  /** Returns false if the line does not fit and was omitted. */
  public boolean add(String line) {
    if (isFull() || lines == maxLines || text.length() + line.length() >= MAX_CHARS) {
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
