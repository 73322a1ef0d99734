package dev.errand.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.api.http.ClientLimits;
import dev.errand.api.http.IdempotencyHeader;
import dev.errand.api.http.Refusal;
import dev.errand.api.http.RequestBodies;
import dev.errand.auth.Audit;
import dev.errand.auth.Roles;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.delegate.command.CommandRunner;
import dev.errand.delegate.command.CommandRunner.CommandCall;
import dev.errand.delegate.command.CommandRunner.CommandOutcome;
import dev.errand.session.Mailbox;
import dev.errand.session.SessionStore;
import dev.errand.task.IdempotencyKey;
import dev.errand.task.IdempotencyKey.Made;
import dev.errand.task.SubmitResult;
import dev.errand.task.TaskSubmission.Caller;
import dev.errand.task.TaskToolResult;
import dev.errand.view.Visibility;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Size;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Runs commands in a session. */
@Path("/v1/sessions/{id}/commands")
@RunOnVirtualThread
@Tag(name = "Commands")
class CommandsResource {

  private final RequestBodies bodies;
  private final SessionStore sessions;
  private final CommandRunner runner;
  private final TaskEndpoint endpoint;
  private final ClientLimits limits;
  private final Mailbox mailbox;
  private final KeyedRequests keyed;
  private final Audit audit;
  private final Visibility visibility;

  CommandsResource(
      RequestBodies bodies,
      SessionStore sessions,
      CommandRunner runner,
      TaskEndpoint endpoint,
      ClientLimits limits,
      Mailbox mailbox,
      KeyedRequests keyed,
      Audit audit,
      Visibility visibility) {
    this.bodies = bodies;
    this.sessions = sessions;
    this.runner = runner;
    this.endpoint = endpoint;
    this.limits = limits;
    this.mailbox = mailbox;
    this.keyed = keyed;
    this.audit = audit;
    this.visibility = visibility;
  }

  /** Body of the POST. */
  record NewCommand(
      @NotBlank(message = "must not be empty")
          @Size(max = 300_000, message = "must have at most 300000 characters")
          String command) {}

  /** The answer to a command that does not delegate. */
  record Printed(String output) {}

  @POST
  @RolesAllowed({Roles.AGENT, Roles.SESSION})
  @Consumes("application/json")
  @Operation(
      summary = "Run a command in a session: task:…, skill:load",
      description =
          "A command that delegates is answered like POST /v1/tasks. The skill agent of a session"
              + " does one task after the other: while it is busy, its further tasks are pending.")
  @RequestBody(content = @Content(schema = @Schema(implementation = NewCommand.class)))
  @APIResponse(
      responseCode = "200",
      description = "The task's result, or what the command prints: {\"output\": …}",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(anyOf = {TaskToolResult.class, Printed.class})))
  @APIResponse(
      responseCode = "202",
      description = "Accepted to run in the background, or not ended within the time to wait",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = TaskToolResult.class)))
  @APIResponse(
      responseCode = "409",
      description =
          "The session is closed and loads no skill, the child session has a live task already, or"
              + " another request with this idempotency key has not ended yet")
  @APIResponse(
      responseCode = "422",
      description =
          "A limit of the root session allows no further delegation, or the idempotency key was"
              + " used for another request")
  @APIResponse(
      responseCode = "429",
      description =
          "Too many tasks are pending; nothing was accepted. Try again after `Retry-After` seconds")
  public Response run(
      @PathParam("id") SessionId id,
      @BeanParam IdempotencyHeader header,
      @Parameter(schema = @Schema(implementation = String.class)) @HeaderParam("Prefer")
          List<String> prefer,
      JsonNode body)
      throws JsonProcessingException {
    var wait = TaskEndpoint.waitFor(prefer);
    var line = bodies.read(body, NewCommand.class).command();
    var session = find(id);
    var fields = bodies.object(body).deepCopy().put("session_id", session.toString());
    var key = header.of(IdempotencyKey.Route.COMMANDS, fields);
    var earlier = keyed.earlier(key).flatMap(made -> repeated(made, key, wait));
    if (earlier.isPresent()) {
      return earlier.get();
    }
    try (var _ = limits.waiting(wait)) {
      var client = new Caller.Client(key, wait, null);
      return answer(
          new CommandCall(session, line, client, named -> visibility.showsTogether(session, named)),
          client);
    }
  }

  /** Reads and checks the command no more: what it named may be gone. */
  private Optional<Response> repeated(Made made, @Nullable IdempotencyKey key, Duration wait) {
    return made.output() == null
        ? endpoint.repeated(key, wait)
        : Optional.of(Response.ok(new Printed(made.output())).build());
  }

  private Response answer(CommandCall call, Caller.Client client) {
    var session = call.session();
    return switch (runner.run(call)) {
      case CommandOutcome.Output output -> printed(client.key(), session, output.text(), () -> {});
      case CommandOutcome.Loaded loaded -> {
        var note = call.line().strip() + "\n\n" + loaded.text();
        yield printed(client.key(), session, loaded.text(), () -> note(session, note));
      }
      case CommandOutcome.Refused refused -> throw Refusal.invalid("command", refused.text());
      case CommandOutcome.Submitted submitted ->
          endpoint.answer(ofCommand(submitted.submission()), client.waitsFor());
    };
  }

  private void note(SessionId session, String text) {
    if (!mailbox.note(session, MessageId.next(), text)) {
      throw new Refusal(Response.Status.CONFLICT, "The session is closed.", List.of());
    }
  }

  /** The body has none of the fields of a task; the command is what a client can change. */
  private static SubmitResult ofCommand(SubmitResult submission) {
    return switch (submission) {
      case SubmitResult.Accepted accepted -> accepted;
      case SubmitResult.Refused refused ->
          switch (refused.reason()) {
            case INVALID, BUSY, LIMIT, FULL -> refused.in("command");
            case UNKNOWN_PARENT -> refused.in("id");
            case KEY_REUSED, NODE_BUSY -> refused;
          };
    };
  }

  private Response printed(
      @Nullable IdempotencyKey key, SessionId session, String output, Runnable effect) {
    var text =
        keyed.once(
            key,
            Made.output(session, output),
            () -> {
              effect.run();
              audit.record("command.run", session, null, Map.of());
              return output;
            },
            made -> Objects.requireNonNull(made.output()));
    return Response.ok(new Printed(text)).build();
  }

  private SessionId find(SessionId id) {
    return sessions.find(id).orElseThrow(() -> Refusal.notFound("session", id)).id();
  }
}
