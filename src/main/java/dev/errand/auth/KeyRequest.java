package dev.errand.auth;

import io.quarkus.security.identity.request.BaseAuthenticationRequest;

/** Asks who sends a key or a session token. */
class KeyRequest extends BaseAuthenticationRequest {

  private final BearerSecret secret;

  KeyRequest(BearerSecret secret) {
    this.secret = secret;
  }

  BearerSecret secret() {
    return secret;
  }
}
