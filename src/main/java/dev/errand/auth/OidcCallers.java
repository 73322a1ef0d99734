package dev.errand.auth;

import dev.errand.tenant.Tenant;
import dev.errand.tenant.Tenants;
import io.quarkus.security.identity.AuthenticationRequestContext;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.security.identity.SecurityIdentityAugmentor;
import io.quarkus.vertx.http.runtime.security.HttpSecurityUtils;
import io.smallrye.mutiny.Uni;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.eclipse.microprofile.jwt.JsonWebToken;

/**
 * Turns the verified token of the identity provider into a caller. A token without one of our
 * roles, or of a tenant that does not exist, gets no role.
 */
@Singleton
class OidcCallers implements SecurityIdentityAugmentor {

  private final OpenRequests open;
  private final Tenants tenants;
  private final Optional<String> tenantClaim;

  OidcCallers(
      OpenRequests open,
      Tenants tenants,
      @ConfigProperty(name = "errand.oidc.tenant-claim") Optional<String> tenantClaim) {
    this.open = open;
    this.tenants = tenants;
    this.tenantClaim = tenantClaim;
  }

  @Override
  public Uni<SecurityIdentity> augment(
      SecurityIdentity identity, AuthenticationRequestContext context) {
    return augment(identity, context, Map.of());
  }

  @Override
  public Uni<SecurityIdentity> augment(
      SecurityIdentity identity,
      AuthenticationRequestContext context,
      Map<String, Object> attributes) {
    return Uni.createFrom()
        .item(
            identity.getPrincipal() instanceof JsonWebToken token
                ? identity(
                    token, identity, HttpSecurityUtils.getRoutingContextAttribute(attributes))
                : identity);
  }

  private SecurityIdentity identity(
      JsonWebToken token, SecurityIdentity verified, RoutingContext request) {
    open.watch(
        request, new OpenRequests.Validity.Until(Instant.ofEpochSecond(token.getExpirationTime())));
    return role(verified)
        .filter(_ -> token.getSubject() != null)
        .flatMap(
            role -> tenant(token).map(tenant -> Caller.ofOidc(token.getSubject(), tenant, role)))
        .map(Callers::identity)
        .orElseGet(() -> Callers.withoutRoles(token.getName()));
  }

  /** Returns the role that may do most. */
  private static Optional<Role> role(SecurityIdentity verified) {
    return verified.getRoles().stream()
        .flatMap(word -> Role.parse(word).stream())
        .max(Comparator.comparing(role -> role.included().size()));
  }

  /** Returns the tenant of a token; empty when there is no such tenant. */
  private Optional<String> tenant(JsonWebToken token) {
    return tenantClaim.isEmpty()
        ? Optional.of(Caller.DEFAULT_TENANT)
        : Optional.ofNullable(token.<Object>getClaim(tenantClaim.get()))
            .flatMap(name -> tenants.find(name.toString()))
            .map(Tenant::id);
  }
}
