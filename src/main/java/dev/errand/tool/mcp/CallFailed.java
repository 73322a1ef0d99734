package dev.errand.tool.mcp;

/** A call ended without a result. */
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

  /** Why a call has no result. */
  sealed interface Cause {}

  /** The server refused the call with this message. */
  record Refused(String message) implements Cause {}

  /** The server was lost before the call was sent. */
  record NotSent(String reason) implements Cause {}

  /** The server was lost during the call; whether the call took effect is unknown. */
  record Lost(String reason) implements Cause {}

  /** The call timed out; whether it took effect is unknown. */
  record Late() implements Cause {}

  /** The caller was interrupted. */
  record Interrupted() implements Cause {}
}
