package dev.errand.console;

import dev.errand.auth.LoginCookie;
import dev.errand.auth.Roles;
import dev.errand.auth.SessionTokens;
import dev.errand.http.ClientLimits;
import io.quarkus.security.ForbiddenException;
import io.quarkus.security.UnauthorizedException;
import io.quarkus.security.identity.SecurityIdentity;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.core.http.HttpServerRequest;
import jakarta.annotation.security.PermitAll;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Context;

/** Exchanges the key or token of a person for a cookie, and ends such a login. */
@Path("/console")
@RunOnVirtualThread
class LoginResource {

  private final SessionTokens tokens;
  private final SecurityIdentity person;
  private final LoginLimit limit;

  LoginResource(SessionTokens tokens, SecurityIdentity person, LoginLimit limit) {
    this.tokens = tokens;
    this.person = person;
    this.limit = limit;
  }

  /** The person is authenticated within the limit, not before. */
  @POST
  @Path("login")
  @PermitAll
  public void logIn(@Context HttpServerRequest request) {
    var login = limit.within(ClientLimits.address(request), this::login);
    LoginCookie.set(request, login);
  }

  private String login() {
    if (person.isAnonymous()) {
      throw new UnauthorizedException();
    }
    if (!person.hasRole(Roles.VIEWER) && !person.hasRole(Roles.AGENT)) {
      throw new ForbiddenException();
    }
    return tokens.logIn().token();
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
