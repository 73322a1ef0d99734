package dev.errand.auth;

import io.quarkus.security.AuthenticationFailedException;
import io.quarkus.security.identity.AuthenticationRequestContext;
import io.quarkus.security.identity.IdentityProvider;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.security.identity.request.BaseAuthenticationRequest;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;

/** Finds the caller that sends a key or a session token. */
@ApplicationScoped
class KeyIdentities implements IdentityProvider<KeyIdentities.KeyRequest> {

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
