package dev.errand.postgres;

import java.util.Objects;

/** A secret in the database cannot be decrypted. The message contains nothing of it. */
public final class UnreadableSecret extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UnreadableSecret(String reason) {
    super("the secret cannot be decrypted: " + reason);
  }

  @Override
  public String getMessage() {
    return Objects.requireNonNull(super.getMessage());
  }
}
