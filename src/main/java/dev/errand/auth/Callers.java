package dev.errand.auth;

import io.quarkus.arc.Arc;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.security.runtime.QuarkusPrincipal;
import io.quarkus.security.runtime.QuarkusSecurityIdentity;
import jakarta.inject.Singleton;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The caller of the current request. */
@Singleton
public class Callers {

  private static final String ATTRIBUTE = Caller.class.getName();

  private final SecurityIdentity identity;

  Callers(SecurityIdentity identity) {
    this.identity = identity;
  }

  /** Returns the caller; empty outside of a request whose caller was authenticated. */
  public Optional<Caller> current() {
    return Arc.container().requestContext().isActive() ? of(identity) : Optional.empty();
  }

  /** Returns the tenant that owns what is made now: that of the caller. */
  public String tenant() {
    return current().map(Caller::tenant).orElse(Caller.DEFAULT_TENANT);
  }

  /** Returns the subject that owns what the current request makes; null without authentication. */
  public @Nullable String owner() {
    return current().map(Caller::owner).orElse(null);
  }

  /**
   * Returns the subject whose limits apply to the current request: that of its key, or of the key
   * or subject that made its session token. Null without authentication.
   */
  public @Nullable String client() {
    return current().map(Caller::client).orElse(null);
  }

  static Optional<Caller> of(SecurityIdentity identity) {
    return Optional.ofNullable(identity.getAttribute(ATTRIBUTE));
  }

  /**
   * Returns whether a caller's tenant may see data of the whole service. The role is checked
   * elsewhere.
   */
  public static boolean isOfFirstTenant(SecurityIdentity identity) {
    return of(identity).filter(caller -> caller.tenant().equals(Caller.DEFAULT_TENANT)).isPresent();
  }

  static SecurityIdentity identity(Caller caller) {
    return QuarkusSecurityIdentity.builder()
        .setPrincipal(new QuarkusPrincipal(caller.subject()))
        .addRoles(caller.role().included())
        .addAttribute(ATTRIBUTE, caller)
        .build();
  }

  /** Returns an authenticated caller without a role. */
  static SecurityIdentity withoutRoles(String name) {
    return QuarkusSecurityIdentity.builder().setPrincipal(new QuarkusPrincipal(name)).build();
  }
}
