package dev.errand.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.api.http.IdempotencyHeader;
import dev.errand.api.http.Refusal;
import dev.errand.api.http.RequestBodies;
import dev.errand.auth.Roles;
import dev.errand.conversation.SessionId;
import dev.errand.event.CloudEvent;
import dev.errand.task.IdempotencyKey;
import dev.errand.task.IdempotencyKey.Made;
import dev.errand.view.SessionView;
import dev.errand.view.SessionViews;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.net.URI;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.callbacks.Callback;
import org.eclipse.microprofile.openapi.annotations.callbacks.CallbackOperation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Opens root sessions. */
@Path("/v1/sessions")
@RunOnVirtualThread
@Tag(name = "Sessions")
class NewSessionsResource {

  private final RequestBodies bodies;
  private final SessionOpener opener;
  private final SessionViews views;
  private final RequestedCallbacks callbacks;
  private final KeyedRequests keyed;

  NewSessionsResource(
      RequestBodies bodies,
      SessionOpener opener,
      SessionViews views,
      RequestedCallbacks callbacks,
      KeyedRequests keyed) {
    this.bodies = bodies;
    this.opener = opener;
    this.views = views;
    this.callbacks = callbacks;
    this.keyed = keyed;
  }

  @POST
  @RolesAllowed(Roles.AGENT)
  @Consumes("application/json")
  @Operation(
      summary = "Open a root session; only this answer shows the secret of its callback",
      description =
          "The same Idempotency-Key and body return the same session for 7 days, with the secret."
              + " The callback of an external session receives the results of its background tasks."
              + " The callback of a hosted session receives what its agent says to the user: each"
              + " message of the tool `message` at once, and the answer at the end of each turn."
              + " Results of the tasks of a hosted session are for its agent and are not posted.")
  @Callback(
      name = "post",
      callbackUrlExpression = "{$request.body#/callback/url}",
      operations =
          @CallbackOperation(
              method = "post",
              summary = "An event is posted to the callback until it answers with 2xx",
              description =
                  "Signed by the headers of Standard Webhooks; `webhook-id` is the same for each"
                      + " attempt. The posts of a session arrive in order; `sequence` is one higher"
                      + " for each, without gaps. A post that failed three times is repeated on its"
                      + " own, after later ones. The type of a result is"
                      + " `background_task.completed|failed|cancelled` or"
                      + " `subagent.completed|failed`; the type of a message is `session.message`"
                      + " with the data `id`, `session_id`, `role`, `content`, `kind`,"
                      + " `created_at`, the `origin` of the session and, for an answer, `seq`, its"
                      + " position in the transcript. When the run of a hosted session failed"
                      + " for good, the type is `session.failed` with the data `session_id`,"
                      + " `error` and `origin`.",
              requestBody =
                  @RequestBody(
                      content =
                          @Content(
                              mediaType = MediaType.APPLICATION_JSON,
                              schema = @Schema(implementation = CloudEvent.class))),
              responses = @APIResponse(responseCode = "2XX", description = "Received")))
  @RequestBody(content = @Content(schema = @Schema(implementation = NewSessionBody.class)))
  @APIResponse(
      responseCode = "201",
      description = "Opened",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = SessionView.class)))
  @APIResponse(
      responseCode = "409",
      description = "Another request with this idempotency key has not ended yet")
  @APIResponse(
      responseCode = "422",
      description =
          "The callback address is not allowed, or the idempotency key was used for another"
              + " request")
  public Response open(@BeanParam IdempotencyHeader header, JsonNode body)
      throws JsonProcessingException {
    var asked = bodies.read(body, NewSessionBody.class);
    var key = header.of(IdempotencyKey.Scope.SESSIONS, bodies.object(body));
    var id = keyed.earlier(key).map(Made::session).orElseGet(() -> opener.open(asked, key));
    return Response.created(URI.create("/v1/sessions/" + id)).entity(opened(id)).build();
  }

  private SessionView opened(SessionId id) {
    var callback = callbacks.registered(id.value(), "Session " + id + " is open");
    return views.find(id, callback).orElseThrow(() -> Refusal.notFound("session", id));
  }
}
