package dev.errand.tool;

/**
 * A tool could not do what it was asked. The message is read by the model: it says what is wrong
 * and what would be right, and names nothing that the session may not see.
 */
public class ToolFailure extends RuntimeException {

  private final String message;

  public ToolFailure(String message) {
    super(message);
    this.message = message;
  }

  @Override
  public String getMessage() {
    return message;
  }
}
