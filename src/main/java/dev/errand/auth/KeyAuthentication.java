package dev.errand.auth;

import io.quarkus.security.AuthenticationFailedException;
import io.quarkus.security.identity.AuthenticationRequestContext;
import io.quarkus.security.identity.IdentityProvider;
import io.quarkus.security.identity.IdentityProviderManager;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.security.identity.request.AuthenticationRequest;
import io.quarkus.security.identity.request.BaseAuthenticationRequest;
import io.quarkus.vertx.http.runtime.security.ChallengeData;
import io.quarkus.vertx.http.runtime.security.HttpAuthenticationMechanism;
import io.quarkus.vertx.http.runtime.security.HttpSecurityUtils;
import io.smallrye.mutiny.Uni;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Singleton;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Reads keys and session tokens from {@code Authorization: Bearer …}, or from the cookie of the
 * console. Other tokens are left to the OIDC extension, which is disabled unless {@code
 * errand.auth=oidc}. Without authentication, every caller may do everything, whatever it sends.
 */
@Singleton
class KeyAuthentication implements HttpAuthenticationMechanism {

  private static final String BEARER = "bearer ";
  private static final int UNAUTHORIZED = 401;
  private static final int FIRST = 100;

  private final AuthMode mode;
  private final OpenRequests open;
  private final SecurityIdentity anonymous = Callers.identity(Caller.ANONYMOUS);

  KeyAuthentication(AuthMode mode, OpenRequests open) {
    this.mode = mode;
    this.open = open;
  }

  @Override
  public Uni<SecurityIdentity> authenticate(
      RoutingContext context, IdentityProviderManager identities) {
    if (!mode.isOn()) {
      return Uni.createFrom().item(anonymous);
    }
    return secret(context)
        .map(secret -> authenticate(context, identities, secret))
        .orElseGet(() -> Uni.createFrom().nullItem());
  }

  private Uni<SecurityIdentity> authenticate(
      RoutingContext context, IdentityProviderManager identities, BearerSecret secret) {
    var request = HttpSecurityUtils.setRoutingContextAttribute(new KeyRequest(secret), context);
    return identities
        .authenticate(request)
        .invoke(() -> open.watch(context, new OpenRequests.Validity.OfSecret(secret)));
  }

  private static Optional<BearerSecret> secret(RoutingContext context) {
    var header = context.request().getHeader("Authorization");
    if (header == null) {
      return LoginCookie.read(context.request()).flatMap(BearerSecret::parse);
    }
    return header.toLowerCase(Locale.ROOT).startsWith(BEARER)
        ? BearerSecret.parse(header.substring(BEARER.length()).strip())
        : Optional.empty();
  }

  @Override
  public Uni<ChallengeData> getChallenge(RoutingContext context) {
    return Uni.createFrom().item(new ChallengeData(UNAUTHORIZED, "WWW-Authenticate", "Bearer"));
  }

  @Override
  public Set<Class<? extends AuthenticationRequest>> getCredentialTypes() {
    return Set.of(KeyRequest.class);
  }

  /** Places this mechanism before that of OIDC, which would take a key for a broken token. */
  @Override
  public int getPriority() {
    return DEFAULT_PRIORITY + FIRST;
  }

  /** Finds the caller that sends a key or a session token. */
  @Singleton
  static class KeyIdentities implements IdentityProvider<KeyRequest> {

    private final Credentials credentials;

    KeyIdentities(Credentials credentials) {
      this.credentials = credentials;
    }

    @Override
    public Class<KeyRequest> getRequestType() {
      return KeyRequest.class;
    }

    @Override
    public Uni<SecurityIdentity> authenticate(
        KeyRequest request, AuthenticationRequestContext context) {
      return credentials
          .known(request.secret())
          .map(caller -> Uni.createFrom().item(Callers.identity(caller)))
          .orElseGet(() -> context.runBlocking(() -> ask(request.secret())));
    }

    private SecurityIdentity ask(BearerSecret secret) {
      return credentials
          .find(secret)
          .map(Callers::identity)
          .orElseThrow(AuthenticationFailedException::new);
    }
  }

  /** Asks who sends a key or a session token. */
  static class KeyRequest extends BaseAuthenticationRequest {

    private final BearerSecret secret;

    KeyRequest(BearerSecret secret) {
      this.secret = secret;
    }

    BearerSecret secret() {
      return secret;
    }
  }
}
