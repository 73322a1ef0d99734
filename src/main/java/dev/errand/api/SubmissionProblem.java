package dev.errand.api;

import dev.errand.http.Problem;
import dev.errand.http.Refusal;
import dev.errand.task.SubmitResult;
import dev.errand.tool.FieldProblem;
import jakarta.ws.rs.core.Response.Status;
import java.util.List;
import java.util.Objects;

/** The problem document of a refused submission. */
final class SubmissionProblem {

  static final String PARENT = "parent_session_id";

  private SubmissionProblem() {}

  static Refusal of(SubmitResult.Refused refused) {
    var errors = List.of(new FieldProblem(refused.field(), refused.message()));
    return switch (refused.reason()) {
      case INVALID -> Refusal.invalid(errors);
      case UNKNOWN_PARENT -> new Refusal(Status.NOT_FOUND, "There is no such session.", errors);
      case BUSY -> new Refusal(Status.CONFLICT, "The session has a live task.", errors);
      case KEY_REUSED ->
          new Refusal(
              Problem.UNPROCESSABLE, "The idempotency key was used for another request.", errors);
      case LIMIT ->
          new Refusal(
              Problem.UNPROCESSABLE, "A limit allows no further delegation.", ofParent(refused));
      case FULL ->
          Refusal.quota(
              Objects.requireNonNull(refused.quota()).name(),
              refused.quota().retryAfter(),
              ofParent(refused));
      case NODE_BUSY ->
          new Refusal(
              Status.SERVICE_UNAVAILABLE,
              "The service is busy: %s. Nothing was accepted; try again later."
                  .formatted(refused.message()),
              List.of());
    };
  }

  /**
   * A limit belongs to the parent session, so the problem names the field of the parent, if the
   * request has it.
   */
  private static List<FieldProblem> ofParent(SubmitResult.Refused refused) {
    var field = refused.field().isEmpty() ? PARENT : refused.field();
    return List.of(new FieldProblem(field, refused.message()));
  }
}
