package dev.errand.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.auth.Roles;
import dev.errand.conversation.SessionId;
import dev.errand.http.IdempotencyHeader;
import dev.errand.http.Refusal;
import dev.errand.http.RequestBodies;
import dev.errand.task.IdempotencyKey;
import dev.errand.task.KeyedResult;
import dev.errand.view.SessionView;
import dev.errand.view.SessionViews;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Response;
import java.net.URI;

/** Opens root sessions. */
@Path("/v1/sessions")
@RunOnVirtualThread
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
  public Response open(@BeanParam IdempotencyHeader header, JsonNode body)
      throws JsonProcessingException {
    var asked = bodies.read(body, NewSessionBody.class);
    var key = header.of(IdempotencyKey.KeyScope.SESSIONS, bodies.object(body));
    var id = keyed.earlier(key).map(KeyedResult::session).orElseGet(() -> opener.open(asked, key));
    return Response.created(URI.create("/v1/sessions/" + id)).entity(opened(id)).build();
  }

  private SessionView opened(SessionId id) {
    var callback = callbacks.registered(id.value(), "Session " + id + " is open");
    return views.find(id, callback).orElseThrow(() -> Refusal.notFound("session", id));
  }
}
