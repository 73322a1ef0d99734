package dev.errand.tool;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A tool could not do what it was asked to do. The model reads the message: it says what is wrong
 * and how to correct it, and contains nothing that the session may not see.
 */
public class ToolFailure extends RuntimeException {

  private final String message;

  public ToolFailure(String message) {
    super(message);
    this.message = message;
  }

  /** The arguments of a call do not fit the schema of its tool. */
  public static ToolFailure invalid(String tool, List<FieldProblem> problems) {
    return new ToolFailure(
        problems.stream()
            .map(FieldProblem::toString)
            .collect(Collectors.joining("; ", "Invalid arguments for " + tool + ": ", "")));
  }

  /** Returns the failure of a call whose thread was interrupted. */
  public static ToolFailure interrupted() {
    return new ToolFailure("The call was interrupted.");
  }

  @Override
  public String getMessage() {
    return message;
  }
}
