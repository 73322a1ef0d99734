package dev.errand.api;

import dev.errand.auth.AuthMode;
import dev.errand.auth.Callers;
import dev.errand.auth.Role;
import dev.errand.auth.Roles;
import dev.errand.conversation.SessionId;
import dev.errand.model.Prices;
import dev.errand.session.SentRequests;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import java.time.Clock;
import java.time.Instant;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/** The caller itself. */
@Path("/v1/me")
@RunOnVirtualThread
class CallerResource {

  private final Callers callers;
  private final AuthMode auth;
  private final Prices prices;
  private final Clock clock;
  private final SentRequests sent;
  private final String version;

  CallerResource(
      Callers callers,
      AuthMode auth,
      Prices prices,
      Clock clock,
      SentRequests sent,
      @ConfigProperty(name = "quarkus.application.version") String version) {
    this.callers = callers;
    this.auth = auth;
    this.prices = prices;
    this.clock = clock;
    this.sent = sent;
    this.version = version;
  }

  /**
   * Who calls, and what it may do.
   *
   * @param subject {@code key:<id>}, {@code token:<id>}, {@code oidc:<subject>} or {@code
   *     anonymous}
   * @param sessionId the session that a session token is for; null for other callers
   * @param authenticated whether callers have to say who they are
   * @param keepsSent whether the service keeps what it sends to models, see {@link SentResource}
   * @param currency of all costs, as ISO 4217 names it; null when the service does not know it
   * @param version of the service
   * @param now the time of the service
   */
  record Me(
      String tenant,
      String subject,
      Role role,
      @Nullable SessionId sessionId,
      boolean authenticated,
      boolean keepsSent,
      @Nullable String currency,
      String version,
      Instant now) {}

  @GET
  @RolesAllowed({Roles.VIEWER, Roles.AGENT, Roles.SESSION})
  public Me get() {
    var caller = callers.current().orElseThrow();
    return new Me(
        caller.tenant(),
        caller.subject(),
        caller.role(),
        caller.scope(),
        auth.isOn(),
        sent.areKept(),
        prices.currency().orElse(null),
        version,
        clock.instant());
  }
}
