package dev.errand.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.errand.secret.Secrets;
import dev.errand.tool.FieldProblem;
import jakarta.ws.rs.core.Response;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An error answer, {@code application/problem+json} (RFC 9457).
 *
 * <pre>{@code
 * {"type": "about:blank", "title": "Bad Request", "status": 400, "detail": "The request body is invalid.",
 *  "instance": "/v1/tasks", "errors": [{"field": "prompt", "message": "is required"}]}
 * }</pre>
 *
 * <p>Its texts may quote what a client sent. Secrets in them are masked.
 *
 * @param quota the limit that is used up, with the type {@link #QUOTA}
 */
public record Problem(
    String type,
    String title,
    int status,
    String detail,
    String instance,
    List<FieldProblem> errors,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String quota) {

  /** The type of a refusal because a quota is used up, which {@link #quota} names. */
  static final String QUOTA = "https://errand.dev/problems/quota";

  static final String MEDIA_TYPE = "application/problem+json";

  /** The status 422; JAX-RS has no constant for it. */
  public static final Response.StatusType UNPROCESSABLE = new Status(422, "Unprocessable Content");

  /** The status 421; JAX-RS has no constant for it. */
  static final Response.StatusType MISDIRECTED = new Status(421, "Misdirected Request");

  public Problem {
    detail = Secrets.masked(detail);
    instance = Secrets.masked(instance);
    errors = errors.stream().map(Problem::masked).toList();
  }

  private static FieldProblem masked(FieldProblem error) {
    return new FieldProblem(Secrets.masked(error.field()), Secrets.masked(error.message()));
  }

  static Problem of(
      Response.StatusType status, String detail, String path, List<FieldProblem> errors) {
    return new Problem(
        "about:blank",
        status.getReasonPhrase(),
        status.getStatusCode(),
        detail,
        path,
        errors,
        null);
  }

  /** Returns this problem with the quota that is used up. */
  Problem ofQuota(@Nullable String name) {
    return name == null ? this : new Problem(QUOTA, title, status, detail, instance, errors, name);
  }

  private record Status(int getStatusCode, String getReasonPhrase) implements Response.StatusType {

    @Override
    public Response.Status.Family getFamily() {
      return Response.Status.Family.CLIENT_ERROR;
    }
  }
}
