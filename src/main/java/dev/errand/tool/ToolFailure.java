package dev.errand.tool;

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

  /** The thread of the call was interrupted. */
  public static ToolFailure interrupted() {
    return new ToolFailure("The call was interrupted.");
  }

  @Override
  public String getMessage() {
    return message;
  }
}
