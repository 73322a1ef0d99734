package dev.errand.task;

/**
 * The key by which a repeated request is recognised.
 *
 * @param bodySha256 of the request, which detects another request with the same key
 */
public record IdempotencyKey(KeyScope scope, String value, String bodySha256) {

  /**
   * The requests that accept a key. The same key in two scopes is two keys. The name is in the
   * database.
   */
  public enum KeyScope {
    TASKS,
    SESSIONS,
    MESSAGES,
    COMMANDS,
    MCP
  }

  /** Thrown when another request with this key has not ended yet. */
  public static final class InFlightException extends RuntimeException {

    private static final long serialVersionUID = 1;

    InFlightException(Throwable cause) {
      super("another request with this key has not ended yet", cause);
    }
  }
}
