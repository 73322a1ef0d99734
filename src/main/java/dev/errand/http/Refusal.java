package dev.errand.http;

import dev.errand.tool.FieldProblem;
import jakarta.ws.rs.core.Response;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request that is answered with an error and that changed nothing. */
public final class Refusal extends RuntimeException {

  private static final long serialVersionUID = 1;
  private static final Duration SOON = Duration.ofSeconds(5);

  private final Response.StatusType status;
  private final transient List<FieldProblem> errors;
  private final @Nullable String quota;
  private final Duration retryAfter;

  public Refusal(Response.StatusType status, String detail, List<FieldProblem> errors) {
    this(status, detail, errors, null, SOON);
  }

  private Refusal(
      Response.StatusType status,
      String detail,
      List<FieldProblem> errors,
      @Nullable String quota,
      Duration retryAfter) {
    super(detail);
    this.status = status;
    this.errors = List.copyOf(errors);
    this.quota = quota;
    this.retryAfter = retryAfter;
  }

  public static Refusal notFound(String what, Object id) {
    return new Refusal(
        Response.Status.NOT_FOUND, "There is no " + what + " " + id + ".", List.of());
  }

  public static Refusal invalid(String field, String message) {
    return invalid(List.of(new FieldProblem(field, message)));
  }

  public static Refusal invalid(List<FieldProblem> errors) {
    return new Refusal(Response.Status.BAD_REQUEST, "The request is invalid.", errors);
  }

  /** Refuses a request because of a limit; the caller may try again after this time. */
  public static Refusal tooMany(String detail, Duration retryAfter, List<FieldProblem> errors) {
    return new Refusal(Response.Status.TOO_MANY_REQUESTS, detail, errors, null, retryAfter);
  }

  /**
   * Refuses a request because a quota is used up for now; the caller may try again after this time.
   */
  public static Refusal quota(String name, Duration retryAfter, List<FieldProblem> errors) {
    return new Refusal(
        Response.Status.TOO_MANY_REQUESTS,
        "The quota " + name + " is used up for now; try again later.",
        errors,
        name,
        retryAfter);
  }

  /** Returns the quota that is used up; null for another reason. */
  @Nullable String quota() {
    return quota;
  }

  /** Returns the seconds to wait, for the status 429 or 503. */
  long retryAfter() {
    return Math.max(1, retryAfter.toSeconds());
  }

  Response.StatusType status() {
    return status;
  }

  /** Returns the problems of fields; empty when the reason is not a field. */
  public List<FieldProblem> errors() {
    return errors;
  }
}
