package dev.errand.api.http;

import dev.errand.tool.FieldProblem;
import jakarta.ws.rs.core.Response;
import java.util.List;

/** A request that is answered with an error and that changed nothing. */
public final class Refusal extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final Response.StatusType status;
  private final transient List<FieldProblem> errors;

  public Refusal(Response.StatusType status, String detail, List<FieldProblem> errors) {
    super(detail);
    this.status = status;
    this.errors = List.copyOf(errors);
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

  Response.StatusType status() {
    return status;
  }

  List<FieldProblem> errors() {
    return errors;
  }
}
