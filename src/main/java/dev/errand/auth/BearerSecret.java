package dev.errand.auth;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A key {@code err_<id>_<secret>} or a session token {@code errs_<id>_<secret>}. The secret has 256
 * random bits, so that a hash without salt and without iterations is enough.
 *
 * @param id finds the stored hash; not secret
 * @param text the whole text, which is the secret
 */
record BearerSecret(SecretKind kind, String id, String text) {

  /** What a text that was made elsewhere has to look like. */
  static final String KEY_FORM =
      "err_<id>_<secret>: an id of 1 to 64 letters and digits, and a secret of 32 to 200 letters,"
          + " digits, - or _";

  enum SecretKind {
    KEY("err"),
    TOKEN("errs");

    private final String prefix;

    SecretKind(String prefix) {
      this.prefix = prefix;
    }
  }

  private static final Pattern FORM =
      Pattern.compile("(errs?)_([0-9A-Za-z]{1,64})_[0-9A-Za-z_-]{32,200}");
  private static final int ID_BYTES = 8;
  private static final int SECRET_BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  static BearerSecret next(SecretKind kind) {
    var id = random(ID_BYTES);
    return new BearerSecret(kind, id, kind.prefix + "_" + id + "_" + random(SECRET_BYTES));
  }

  private static String random(int bytes) {
    var value = new byte[bytes];
    RANDOM.nextBytes(value);
    return HexFormat.of().formatHex(value);
  }

  static Optional<BearerSecret> parse(String text) {
    var found = FORM.matcher(text);
    if (!found.matches()) {
      return Optional.empty();
    }
    var kind = found.group(1).equals(SecretKind.KEY.prefix) ? SecretKind.KEY : SecretKind.TOKEN;
    return Optional.of(new BearerSecret(kind, found.group(2), text));
  }

  byte[] hash() {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException fault) {
      throw new IllegalStateException(fault);
    }
  }

  /** Takes the same time wherever the hashes differ. */
  boolean matches(byte[] stored) {
    return MessageDigest.isEqual(hash(), stored);
  }

  /** Returns a text without the secret, which must not enter a log. */
  @Override
  public String toString() {
    return kind.prefix + "_" + id + "_***";
  }
}
