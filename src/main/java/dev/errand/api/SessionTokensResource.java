package dev.errand.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.auth.Roles;
import dev.errand.auth.SessionTokens;
import dev.errand.conversation.SessionId;
import dev.errand.http.Refusal;
import dev.errand.http.RequestBodies;
import dev.errand.session.SessionStore;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;
import java.time.Duration;

/** Tokens that can use one session. */
@Path("/v1/sessions/{id}/tokens")
@RunOnVirtualThread
class SessionTokensResource {

  private static final int DAY_SECONDS = 86_400;
  private static final String BOUNDS = "must be 1 to 86400 seconds";

  private final RequestBodies bodies;
  private final SessionStore sessions;
  private final SessionTokens tokens;

  SessionTokensResource(RequestBodies bodies, SessionStore sessions, SessionTokens tokens) {
    this.bodies = bodies;
    this.sessions = sessions;
    this.tokens = tokens;
  }

  /** The body of the POST. */
  record NewToken(
      @Min(value = 1, message = BOUNDS) @Max(value = DAY_SECONDS, message = BOUNDS)
          int expiresInS) {}

  @POST
  @RolesAllowed(Roles.AGENT)
  @Consumes("application/json")
  public Response make(@PathParam("id") SessionId id, JsonNode body)
      throws JsonProcessingException {
    var asked = bodies.read(body, NewToken.class);
    var session = sessions.find(id).orElseThrow(() -> Refusal.notFound("session", id)).id();
    var made = tokens.make(session, Duration.ofSeconds(asked.expiresInS()));
    return Response.status(Status.CREATED).header("Cache-Control", "no-store").entity(made).build();
  }
}
