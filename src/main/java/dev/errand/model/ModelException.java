package dev.errand.model;

import java.time.Duration;
import java.util.Optional;

/**
 * A model gave no usable answer. Says in its code what happened and in {@link #retryable} whether
 * trying again may help.
 */
public final class ModelException extends RuntimeException {

  private static final long serialVersionUID = 1;

  /** What went wrong, in words that clients see as {@code error.code}. */
  public enum Code {
    MODEL_UNREACHABLE(true),
    MODEL_TIMEOUT(true),
    MODEL_RATE_LIMITED(true),
    MODEL_UNAVAILABLE(true),
    MODEL_BAD_RESPONSE(true),
    MODEL_UNAUTHORIZED(false),
    MODEL_NOT_FOUND(false),
    MODEL_REJECTED_REQUEST(false),
    MODEL_NOT_CONFIGURED(false),
    MODEL_INTERRUPTED(false);

    private final boolean retryable;

    Code(boolean retryable) {
      this.retryable = retryable;
    }
  }

  private final Code code;
  private final Optional<Duration> retryAfter;

  /**
   * @param message a sentence for the operator: names the endpoint and what it answered, never a
   *     key
   */
  public ModelException(Code code, String message, Optional<Duration> retryAfter, Throwable cause) {
    super(message, cause);
    this.code = code;
    this.retryAfter = retryAfter;
  }

  public ModelException(Code code, String message) {
    super(message);
    this.code = code;
    this.retryAfter = Optional.empty();
  }

  public Code code() {
    return code;
  }

  public boolean retryable() {
    return code.retryable;
  }

  /** How long the provider asked us to wait; empty when it did not say. */
  public Optional<Duration> retryAfter() {
    return retryAfter;
  }
}
