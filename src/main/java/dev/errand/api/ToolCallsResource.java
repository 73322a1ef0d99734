package dev.errand.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.auth.Roles;
import dev.errand.conversation.SessionId;
import dev.errand.http.ClientLimits;
import dev.errand.http.ConsoleUrl;
import dev.errand.http.Problem;
import dev.errand.http.Refusal;
import dev.errand.http.RequestBodies;
import dev.errand.run.ClientCallRunner;
import dev.errand.session.ClientCalls;
import dev.errand.session.Session;
import dev.errand.session.SessionKind;
import dev.errand.session.SessionState;
import dev.errand.session.SessionStore;
import dev.errand.tool.FieldProblem;
import dev.errand.tool.file.WorkspaceRoots;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;
import jakarta.ws.rs.core.UriBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The tool calls of agents whose loop runs elsewhere. */
@Path("/v1/sessions/{id}/tool-calls")
@RunOnVirtualThread
class ToolCallsResource {

  private final RequestBodies bodies;
  private final SessionStore sessions;
  private final ClientCalls calls;
  private final ClientCallRunner runner;
  private final WorkspaceRoots roots;
  private final ClientLimits limits;
  private final ConsoleUrl console;

  ToolCallsResource(
      RequestBodies bodies,
      SessionStore sessions,
      ClientCalls calls,
      ClientCallRunner runner,
      WorkspaceRoots roots,
      ClientLimits limits,
      ConsoleUrl console) {
    this.bodies = bodies;
    this.sessions = sessions;
    this.calls = calls;
    this.runner = runner;
    this.roots = roots;
    this.limits = limits;
    this.console = console;
  }

  @POST
  @RolesAllowed({Roles.AGENT, Roles.SESSION})
  @Consumes("application/json")
  public Response call(
      @PathParam("id") SessionId id, @HeaderParam("Prefer") List<String> prefer, JsonNode body)
      throws JsonProcessingException {
    var wait = TaskEndpoint.waitFor(prefer);
    var session = find(id);
    var request = bodies.read(body, NewToolCall.class).by(id);
    try (var _ = limits.waiting(wait)) {
      if (known(request).isEmpty()) {
        start(session, request);
      }
      runner.awaitEnd(request.id(), wait);
      return answer(request);
    }
  }

  @GET
  @RolesAllowed({Roles.VIEWER, Roles.AGENT, Roles.SESSION})
  @Path("{call_id}")
  public ToolCallView get(
      @PathParam("id") SessionId id,
      @PathParam("call_id") @Size(max = NewToolCall.MAX_ID) @Pattern(regexp = NewToolCall.ID)
          String callId,
      @QueryParam("wait_ms") @DefaultValue("0") @Min(0) @Max(60_000) int waitMs) {
    var call = new ClientCalls.ClientCallId(find(id).id(), callId);
    var wait = Duration.ofMillis(waitMs);
    var found = calls.find(call).orElseThrow(() -> Refusal.notFound("tool call", callId));
    if (found.result() != null || wait.isZero()) {
      return ToolCallView.of(found);
    }
    try (var _ = limits.waiting(wait)) {
      runner.awaitEnd(call, wait);
    }
    return calls
        .find(call)
        .map(ToolCallView::of)
        .orElseThrow(() -> Refusal.notFound("tool call", callId));
  }

  /**
   * @throws Refusal the id belongs to another call
   */
  private Optional<ClientCalls.KnownCall> known(ClientCalls.CallRequest request) {
    var found = calls.find(request.id());
    if (found.filter(call -> !call.digest().equals(request.digest())).isPresent()) {
      throw new Refusal(
          Problem.UNPROCESSABLE,
          "The call_id was used for another call.",
          List.of(
              new FieldProblem("call_id", "was used before for another call; use a new call_id")));
    }
    return found;
  }

  private void start(Session session, ClientCalls.CallRequest request) {
    if (session.kind() == SessionKind.HOSTED) {
      throw conflict("The session is hosted: its tools run in its loop.");
    }
    if (session.state() == SessionState.CLOSED) {
      throw conflict("The session is closed.");
    }
    roots
        .problem(session.workspace(), session.tenant())
        .ifPresent(why -> {
          throw conflict("The workspace of the session " + why + ".");
        });
    if (runner.start(session, request) instanceof ClientCalls.CallAnswer.Full) {
      throw new Refusal(
          Status.TOO_MANY_REQUESTS,
          "Too many tool calls of this session are executed; try again later.",
          List.of());
    }
  }

  private Response answer(ClientCalls.CallRequest request) {
    var call =
        known(request).orElseThrow(() -> Refusal.notFound("tool call", request.id().callId()));
    if (call.result() != null) {
      return Response.ok(ToolCallView.of(call)).build();
    }
    var page = console.page(request.session()).map(ToolCallView.Metadata::new).orElse(null);
    var location =
        UriBuilder.fromPath("/v1/sessions/{id}/tool-calls/{call}")
            .build(request.session().toString(), call.callId());
    return Response.accepted(ToolCallView.of(call, page)).location(location).build();
  }

  private static Refusal conflict(String detail) {
    return new Refusal(Status.CONFLICT, detail, List.of());
  }

  private Session find(SessionId id) {
    return sessions.find(id).orElseThrow(() -> Refusal.notFound("session", id));
  }

  /**
   * A tool call of an agent whose loop runs elsewhere.
   *
   * @param content what the model reads; null while the call runs
   * @param metadata of the answer that the call has not ended; left out when the address of the
   *     console is not configured
   */
  record ToolCallView(
      String callId,
      String name,
      String state,
      @Nullable String content,
      @Nullable Boolean isError,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Metadata metadata) {

    /**
     * @param consoleUrl where a person can watch the session
     */
    record Metadata(String consoleUrl) {}

    static ToolCallView of(ClientCalls.KnownCall call) {
      return of(call, null);
    }

    static ToolCallView of(ClientCalls.KnownCall call, @Nullable Metadata metadata) {
      var result = call.result();
      return new ToolCallView(
          call.callId(),
          call.name(),
          result == null ? "running" : call.state().word(),
          result == null ? null : result.text(),
          result == null ? null : result.isError(),
          metadata);
    }
  }
}
