package dev.errand.console;

import dev.errand.auth.LoginCookie;
import dev.errand.auth.Roles;
import dev.errand.auth.SessionTokens;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.core.http.HttpServerRequest;
import jakarta.annotation.security.PermitAll;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Context;

/** Exchanges the key or token of a person for a cookie, and ends such a login. */
@Path("/console")
@RunOnVirtualThread
class LoginResource {

  private final SessionTokens tokens;

  LoginResource(SessionTokens tokens) {
    this.tokens = tokens;
  }

  @POST
  @Path("login")
  @RolesAllowed({Roles.VIEWER, Roles.AGENT})
  public void logIn(@Context HttpServerRequest request) {
    LoginCookie.set(request, tokens.logIn().token());
  }

  /** Idempotent. */
  @POST
  @Path("logout")
  @PermitAll
  public void logOut(@Context HttpServerRequest request) {
    LoginCookie.read(request).ifPresent(tokens::logOut);
    LoginCookie.remove(request);
  }
}
