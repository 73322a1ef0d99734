package dev.errand.http;

import dev.errand.auth.AuthMode;
import dev.errand.auth.Callers;
import dev.errand.auth.Roles;
import io.quarkus.security.AuthenticationFailedException;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.quarkus.vertx.http.runtime.security.QuarkusHttpUser;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response.Status;
import java.util.List;

/**
 * Metrics are served by no resource, so their role is checked here. They are those of all tenants
 * together, so that only callers of the first tenant read them. Health checks need no role.
 */
@Singleton
class MetricsAccess {

  private static final String PATH = "/q/metrics";
  private static final int AFTER_AUTHENTICATION = 50;

  private final AuthMode auth;
  private final ProblemWriter problems;

  MetricsAccess(AuthMode auth, ProblemWriter problems) {
    this.auth = auth;
    this.problems = problems;
  }

  void register(@Observes Filters filters) {
    if (auth.isOn()) {
      filters.register(this::check, AFTER_AUTHENTICATION);
    }
  }

  private void check(RoutingContext context) {
    if (context.normalizedPath().startsWith(PATH)) {
      QuarkusHttpUser.getSecurityIdentity(context, null)
          .subscribe()
          .with(identity -> check(context, identity), fault -> failed(context, fault));
    } else {
      context.next();
    }
  }

  private void check(RoutingContext context, SecurityIdentity identity) {
    if (identity.hasRole(Roles.METRICS) && Callers.isOfFirstTenant(identity)) {
      context.next();
    } else if (identity.isAnonymous()) {
      refuse(context, Status.UNAUTHORIZED, ProblemMappers.UNKNOWN_CALLER);
    } else {
      refuse(context, Status.FORBIDDEN, ProblemMappers.FORBIDDEN);
    }
  }

  private void failed(RoutingContext context, Throwable fault) {
    if (fault instanceof AuthenticationFailedException) {
      refuse(context, Status.UNAUTHORIZED, ProblemMappers.UNKNOWN_CALLER);
    } else {
      refuse(context, Status.SERVICE_UNAVAILABLE, "The database does not answer. Try again later.");
    }
  }

  private void refuse(RoutingContext context, Status status, String detail) {
    if (status == Status.UNAUTHORIZED) {
      context.response().putHeader(ProblemMappers.CHALLENGE, ProblemMappers.BEARER);
    } else if (status == Status.SERVICE_UNAVAILABLE) {
      context.response().putHeader(HttpHeaders.RETRY_AFTER, ProblemMappers.RETRY_SECONDS);
    }
    problems.answer(context.response(), status, detail, PATH, List.of());
  }
}
