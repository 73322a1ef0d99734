package dev.errand.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.auth.Audit;
import dev.errand.auth.Roles;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.delegate.command.CommandRunner;
import dev.errand.delegate.command.CommandRunner.CommandCall;
import dev.errand.delegate.command.CommandRunner.CommandOutcome;
import dev.errand.http.ClientLimits;
import dev.errand.http.IdempotencyHeader;
import dev.errand.http.Refusal;
import dev.errand.http.RequestBodies;
import dev.errand.session.Mailbox;
import dev.errand.session.SessionStore;
import dev.errand.task.IdempotencyKey;
import dev.errand.task.KeyedResult;
import dev.errand.task.SubmitResult;
import dev.errand.task.TaskCaller;
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
import jakarta.ws.rs.core.Response;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Runs commands in a session. */
@Path("/v1/sessions/{id}/commands")
@RunOnVirtualThread
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

  /** The body of the POST. */
  record NewCommand(
      @NotBlank(message = "must not be empty")
          @Size(max = 300_000, message = "must have at most 300000 characters")
          String command) {}

  /** The answer to a command that does not delegate. */
  record Printed(String output) {}

  @POST
  @RolesAllowed({Roles.AGENT, Roles.SESSION})
  @Consumes("application/json")
  public Response run(
      @PathParam("id") SessionId id,
      @BeanParam IdempotencyHeader header,
      @HeaderParam("Prefer") List<String> prefer,
      JsonNode body)
      throws JsonProcessingException {
    var wait = TaskEndpoint.waitFor(prefer);
    var line = bodies.read(body, NewCommand.class).command();
    var session = find(id);
    var fields = bodies.object(body).deepCopy().put("session_id", session.toString());
    var key = header.of(IdempotencyKey.KeyScope.COMMANDS, fields);
    var earlier = keyed.earlier(key).flatMap(made -> repeated(made, key, wait));
    if (earlier.isPresent()) {
      return earlier.get();
    }
    try (var _ = limits.waiting(wait)) {
      var client = new TaskCaller.Client(key, wait, null);
      return answer(
          new CommandCall(session, line, client, named -> visibility.showsTogether(session, named)),
          client);
    }
  }

  /** Reads and checks the command no more: what it named may be gone. */
  private Optional<Response> repeated(
      KeyedResult made, @Nullable IdempotencyKey key, Duration wait) {
    return made.output() == null
        ? endpoint.repeated(key, wait)
        : Optional.of(Response.ok(new Printed(made.output())).build());
  }

  private Response answer(CommandCall call, TaskCaller.Client client) {
    var session = call.session();
    return switch (runner.run(call)) {
      case CommandOutcome.Output output -> printed(client.key(), session, output.text(), () -> {});
      case CommandOutcome.Loaded loaded -> {
        var note = call.line().strip() + "\n\n" + loaded.text();
        yield printed(client.key(), session, loaded.text(), () -> note(session, note));
      }
      case CommandOutcome.InvalidCommand refused ->
          throw Refusal.invalid("command", refused.text());
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
            KeyedResult.output(session, output),
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
