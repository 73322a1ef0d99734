package dev.errand.model;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * A model call failed. The code says what happened, and {@link #retryable} whether a retry may
 * help.
 */
public final class ModelException extends RuntimeException {

  private static final long serialVersionUID = 1;

  /** What went wrong; clients see it as {@code error.code}. */
  public enum Code {
    MODEL_UNREACHABLE(true),
    MODEL_TIMEOUT(true),
    MODEL_RATE_LIMITED(true),
    MODEL_UNAVAILABLE(true),
    MODEL_BAD_RESPONSE(true),
    MODEL_UNAUTHORIZED(false),
    MODEL_NOT_FOUND(false),
    MODEL_REJECTED_REQUEST(false),
    /** The request is longer than the context window of the model. */
    MODEL_CONTEXT_EXCEEDED(false),
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
   * @param message for the operator: names the endpoint and its answer, never a key
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

  /** The code as a word for programs. */
  public String word() {
    return word(code);
  }

  static String word(Code code) {
    return code.name().toLowerCase(Locale.ROOT);
  }

  public boolean retryable() {
    return code.retryable;
  }

  /**
   * Whether the endpoint gave no answer of its own to this request: it was not reached, was too
   * slow, overloaded or refused for its rate limit. Waiting may help.
   */
  public boolean isAway() {
    return switch (code) {
      case MODEL_UNREACHABLE, MODEL_TIMEOUT, MODEL_RATE_LIMITED, MODEL_UNAVAILABLE -> true;
      case MODEL_BAD_RESPONSE,
          MODEL_UNAUTHORIZED,
          MODEL_NOT_FOUND,
          MODEL_REJECTED_REQUEST,
          MODEL_CONTEXT_EXCEEDED,
          MODEL_NOT_CONFIGURED,
          MODEL_INTERRUPTED ->
          false;
    };
  }

  /** How long the provider asks to wait; empty if it does not say. */
  public Optional<Duration> retryAfter() {
    return retryAfter;
  }
}
