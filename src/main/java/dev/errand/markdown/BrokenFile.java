package dev.errand.markdown;

/** A file of the operator cannot be used. The message is for the operator. */
public final class BrokenFile extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final String file;
  private final int line;
  private final String problem;

  public BrokenFile(String file, int line, String problem) {
    super(file + ":" + line + ": " + problem);
    this.file = file;
    this.line = line;
    this.problem = problem;
  }

  /** Returns the file, as the reader of the message knows it. */
  public String file() {
    return file;
  }

  /** Returns the line of the file, from 1. */
  public int line() {
    return line;
  }

  /** Returns file and line: {@code reviewer.md:4}. */
  public String place() {
    return file + ":" + line;
  }

  /** Returns what is wrong. */
  public String problem() {
    return problem;
  }

  /** Returns file, line and problem, as a message for the operator. */
  public String sentence() {
    return place() + ": " + problem;
  }
}
