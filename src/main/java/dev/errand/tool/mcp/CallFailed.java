package dev.errand.tool.mcp;

/** A call without a result. */
final class CallFailed extends Exception {

  private static final long serialVersionUID = 1;

  private final transient Cause cause;

  CallFailed(Cause cause) {
    super(cause.toString());
    this.cause = cause;
  }

  Cause why() {
    return cause;
  }

  /** Why there is none. */
  sealed interface Cause {}

  /** The server said so, in these words. */
  record Refused(String message) implements Cause {}

  /** The server was lost while we waited; what it did is not known. */
  record Lost(String reason) implements Cause {}

  /** The time for the call is over; what the server did is not known. */
  record Late() implements Cause {}

  /** Nobody waits for the result any more. */
  record Interrupted() implements Cause {}
}
