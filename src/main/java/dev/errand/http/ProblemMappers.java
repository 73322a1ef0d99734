package dev.errand.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import dev.errand.postgres.SqlErrors;
import dev.errand.task.IdempotencyKey;
import dev.errand.task.RequestTurns;
import dev.errand.tool.FieldProblem;
import io.quarkus.security.AuthenticationFailedException;
import io.quarkus.security.ForbiddenException;
import io.quarkus.security.UnauthorizedException;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.ElementKind;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;
import jakarta.ws.rs.core.UriInfo;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;
import org.jdbi.v3.core.ConnectionException;

/**
 * Answers every error with a problem document. Unexpected errors are logged, and their documents do
 * not describe them.
 */
public class ProblemMappers {

  private static final Logger LOG = Logger.getLogger(ProblemMappers.class);
  private static final Pattern LIST_ELEMENT = Pattern.compile("\\.<list element>");
  private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS");

  /** The request may succeed later. */
  private static final Set<Response.StatusType> RETRIED =
      Set.of(Status.TOO_MANY_REQUESTS, Status.SERVICE_UNAVAILABLE);

  static final String RETRY_SECONDS = "5";

  static final String UNKNOWN_CALLER =
      "Send a valid key or token: Authorization: Bearer <key or token>.";
  static final String FORBIDDEN = "The role of this key or token does not allow this request.";
  static final String CHALLENGE = "WWW-Authenticate";
  static final String BEARER = "Bearer";

  private final StartedCommits commits;

  ProblemMappers(StartedCommits commits) {
    this.commits = commits;
  }

  @ServerExceptionMapper
  Response refused(Refusal refusal, @Context UriInfo request) {
    var detail = Objects.requireNonNullElse(refusal.getMessage(), "");
    var problem =
        Problem.of(refusal.status(), detail, request.getRequestUri().getRawPath(), refusal.errors())
            .ofQuota(refusal.quota());
    var response = answer(problem);
    return RETRIED.contains(refusal.status())
        ? retryLater(response, refusal.retryAfter())
        : response;
  }

  @ServerExceptionMapper
  Response inFlight(IdempotencyKey.InFlightException fault, @Context UriInfo request) {
    var error = new FieldProblem("Idempotency-Key", "another request with it has not ended yet");
    return retryLater(
        answer(
            Status.CONFLICT,
            "A request with this idempotency key has not ended yet; repeat it later.",
            List.of(error),
            request));
  }

  @ServerExceptionMapper
  Response noTurn(RequestTurns.NoTurnException fault, @Context UriInfo request) {
    return retryLater(
        answer(
            Status.SERVICE_UNAVAILABLE,
            "The service is busy with other requests; nothing was accepted. Try again later.",
            List.of(),
            request));
  }

  @ServerExceptionMapper
  Response invalid(ConstraintViolationException fault, @Context UriInfo request) {
    var errors =
        fault.getConstraintViolations().stream()
            .map(violation -> new FieldProblem(field(violation), violation.getMessage()))
            .sorted(Comparator.comparing(FieldProblem::field))
            .toList();
    return answer(Status.BAD_REQUEST, "The request is invalid.", errors, request);
  }

  @ServerExceptionMapper
  Response malformed(JsonProcessingException fault, @Context UriInfo request) {
    return answer(
        Status.BAD_REQUEST, "The request is invalid.", List.of(JsonProblem.of(fault)), request);
  }

  /**
   * The framework has its own mapper for this exception, which takes precedence over a mapper of a
   * superclass.
   */
  @ServerExceptionMapper
  Response mismatched(MismatchedInputException fault, @Context UriInfo request) {
    return malformed(fault, request);
  }

  @ServerExceptionMapper
  Response http(WebApplicationException fault, @Context UriInfo request) {
    if (fault.getCause() instanceof JsonProcessingException json) {
      return malformed(json, request);
    }
    if (fault.getCause() instanceof Refusal refusal) {
      return refused(refusal, request);
    }
    var status = fault.getResponse().getStatusInfo();
    var detail =
        switch (status.getStatusCode()) {
          case 400 -> "The request is malformed.";
          case 404 -> "This address does not exist.";
          case 405 -> "This address does not support this method.";
          case 406 ->
              "Accept application/json, text/event-stream where events are streamed, or text/x-diff"
                  + " for a patch.";
          case 413 -> RequestLimits.BODY_DETAIL;
          case 415 -> "Send the body as application/json.";
          default -> status.getReasonPhrase();
        };
    return answer(status, detail, List.of(), request);
  }

  @ServerExceptionMapper({AuthenticationFailedException.class, UnauthorizedException.class})
  Response unknownCaller(SecurityException fault, @Context UriInfo request) {
    var response = answer(Status.UNAUTHORIZED, UNKNOWN_CALLER, List.of(), request);
    return Response.fromResponse(response).header(CHALLENGE, BEARER).build();
  }

  /** The answer reveals neither the required role nor whether the addressed object exists. */
  @ServerExceptionMapper
  Response forbidden(ForbiddenException fault, @Context UriInfo request) {
    return answer(Status.FORBIDDEN, FORBIDDEN, List.of(), request);
  }

  @ServerExceptionMapper
  Response databaseUnreachable(ConnectionException fault, ContainerRequestContext request) {
    return unavailable(fault, request);
  }

  /** A failed commit is one of these: a rollback whose cause is the error of the database. */
  @ServerExceptionMapper
  Response unexpected(RuntimeException fault, ContainerRequestContext request) {
    if (SqlErrors.isTransient(fault)) {
      return unavailable(fault, request);
    }
    LOG.error("A request failed unexpectedly", fault);
    return answer(
        Status.INTERNAL_SERVER_ERROR,
        "An unexpected error occurred.",
        List.of(),
        request.getUriInfo());
  }

  private Response unavailable(Exception fault, ContainerRequestContext request) {
    LOG.warnf("The database did not answer a request: %s", fault.getMessage());
    var detail =
        commits.any() && !SAFE.contains(request.getMethod())
            ? "The database stopped answering while the request was being stored; it may have been"
                + " accepted. "
                + howToFindOut(request)
            : "The database does not answer; nothing was accepted. Try again later.";
    return retryLater(answer(Status.SERVICE_UNAVAILABLE, detail, List.of(), request.getUriInfo()));
  }

  private static String howToFindOut(ContainerRequestContext request) {
    var hasKey = request.getHeaderString("Idempotency-Key") != null;
    var path = request.getUriInfo().getRequestUri().getPath();
    return LostAnswer.advice(request.getMethod(), path, hasKey);
  }

  /** Returns the name in JSON or in the query; the path of a parameter begins with its method. */
  private static String field(ConstraintViolation<?> violation) {
    var path = violation.getPropertyPath();
    var name = path.toString();
    var method = path.iterator().next();
    var own =
        method.getKind() == ElementKind.METHOD
            ? name.substring(method.getName().length() + 1)
            : name;
    return SnakeCaseStrategy.INSTANCE.translate(LIST_ELEMENT.matcher(own).replaceAll(""));
  }

  private static Response retryLater(Response response) {
    return retryLater(response, RETRY_SECONDS);
  }

  private static Response retryLater(Response response, Object seconds) {
    return Response.fromResponse(response).header("Retry-After", seconds).build();
  }

  public static Response answer(
      Response.StatusType status, String detail, List<FieldProblem> errors, UriInfo request) {
    return answer(Problem.of(status, detail, request.getRequestUri().getRawPath(), errors));
  }

  private static Response answer(Problem problem) {
    return Response.status(problem.status()).type(Problem.MEDIA_TYPE).entity(problem).build();
  }
}
