package dev.errand.outbox;

import dev.errand.secret.Secrets;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secret by which a receiver verifies signatures, {@code whsec_} and the Base64 of 24 to 64
 * bytes (https://www.standardwebhooks.com).
 *
 * @param text the external form; kept out of {@link #toString}
 */
public record WebhookSecret(String text) {

  private static final String PREFIX = "whsec_";
  private static final String ALGORITHM = "HmacSHA256";
  private static final int LEAST_BYTES = 24;
  private static final int MOST_BYTES = 64;
  private static final int OUR_BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  /**
   * A secret that this process has seen is masked from then on, with its prefix: a client chooses
   * the rest, which may be a word that others use.
   */
  public WebhookSecret {
    Secrets.remember(text);
  }

  /** Parses a secret; empty when {@code text} is not a secret. */
  public static Optional<WebhookSecret> parse(String text) {
    if (!text.startsWith(PREFIX)) {
      return Optional.empty();
    }
    try {
      var length = key(text).length;
      return length >= LEAST_BYTES && length <= MOST_BYTES
          ? Optional.of(new WebhookSecret(text))
          : Optional.empty();
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  public static WebhookSecret random() {
    var key = new byte[OUR_BYTES];
    RANDOM.nextBytes(key);
    return new WebhookSecret(PREFIX + Base64.getEncoder().encodeToString(key));
  }

  /** Returns the header {@code webhook-signature} of a message. */
  public String sign(String id, long timestamp, String body) {
    try {
      var mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key(text), ALGORITHM));
      var signed = id + "." + timestamp + "." + body;
      var signature = mac.doFinal(signed.getBytes(StandardCharsets.UTF_8));
      return "v1," + Base64.getEncoder().encodeToString(signature);
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static byte[] key(String text) {
    return Base64.getDecoder().decode(text.substring(PREFIX.length()));
  }

  @Override
  public String toString() {
    return PREFIX + "…";
  }
}
