package dev.errand.model;

import dev.errand.conversation.Word;
import java.time.Duration;
import java.util.Optional;

/**
 * A model call failed. The code says what happened, {@link #isAway} whether waiting helps, and
 * {@link #mayPass} whether asking again does.
 */
public final class ModelException extends RuntimeException {

  private static final long serialVersionUID = 1;

  /** The kind of a fault; clients see it as {@code error.code}. */
  public enum Code implements Word {
    /** No connection, or one that broke before the answer was complete. */
    MODEL_UNREACHABLE,
    MODEL_TIMEOUT,
    MODEL_RATE_LIMITED,
    MODEL_UNAVAILABLE,
    /** A certificate that is not accepted, or another fault of TLS that does not pass. */
    MODEL_TLS_FAILED,
    /** A complete answer that cannot be read. */
    MODEL_BAD_RESPONSE,
    MODEL_UNAUTHORIZED,
    MODEL_NOT_FOUND,
    MODEL_REJECTED_REQUEST,
    /** The request is longer than the context window of the model. */
    MODEL_CONTEXT_EXCEEDED,
    /** The money or the quota of the account is used up, and the provider names no end of that. */
    MODEL_QUOTA_EXCEEDED,
    MODEL_NOT_CONFIGURED,
    MODEL_INTERRUPTED
  }

  private final Code code;
  private final Optional<Duration> retryAfter;

  /**
   * @param message for the operator: names the endpoint and its answer, never a key
   */
  public ModelException(Code code, String message, Optional<Duration> retryAfter, Throwable cause) {
    super(message, cause);
    this.code = code;
    this.retryAfter = retryAfter;
  }

  public ModelException(Code code, String message) {
    this(code, message, Optional.empty());
  }

  public ModelException(Code code, String message, Optional<Duration> retryAfter) {
    super(message);
    this.code = code;
    this.retryAfter = retryAfter;
  }

  public Code code() {
    return code;
  }

  /** Returns the code as a word for programs. */
  public String word() {
    return code.word();
  }

  /**
   * Returns whether the endpoint gave no answer of its own to this request: it was not reached, was
   * too slow, overloaded or refused for its rate limit. Waiting may help. All other faults fail the
   * run at once.
   */
  public boolean isAway() {
    return switch (code) {
      case MODEL_UNREACHABLE, MODEL_TIMEOUT, MODEL_RATE_LIMITED, MODEL_UNAVAILABLE -> true;
      case MODEL_TLS_FAILED,
          MODEL_BAD_RESPONSE,
          MODEL_UNAUTHORIZED,
          MODEL_NOT_FOUND,
          MODEL_REJECTED_REQUEST,
          MODEL_CONTEXT_EXCEEDED,
          MODEL_QUOTA_EXCEEDED,
          MODEL_NOT_CONFIGURED,
          MODEL_INTERRUPTED ->
          false;
    };
  }

  /**
   * Returns whether a fallback may be called at once: waiting does not help, but the request is not
   * to blame.
   */
  public boolean isOfEndpoint() {
    return code == Code.MODEL_TLS_FAILED || code == Code.MODEL_QUOTA_EXCEEDED;
  }

  /**
   * Returns whether the same request may succeed later: a model that is away comes back, and one
   * that gave an unreadable answer may give another. A wrong key, name or request stays wrong.
   */
  public boolean mayPass() {
    return isAway() || code == Code.MODEL_BAD_RESPONSE;
  }

  /** Returns how long the provider asks to wait; empty if it does not say. */
  public Optional<Duration> retryAfter() {
    return retryAfter;
  }
}
