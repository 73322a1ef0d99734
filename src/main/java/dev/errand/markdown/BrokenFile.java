package dev.errand.markdown;

/** A file of the operator's cannot be used. Its message is a sentence for the operator. */
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

  /** {@code reviewer.md:4}. */
  public String place() {
    return file + ":" + line;
  }

  /** What is wrong there. */
  public String problem() {
    return problem;
  }

  /** Both: a sentence for the operator. */
  public String sentence() {
    return place() + ": " + problem;
  }
}
