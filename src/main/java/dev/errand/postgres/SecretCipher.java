package dev.errand.postgres;

import dev.errand.secret.Secrets;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.smallrye.config.ConfigMapping;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts secrets for the database. Each value has a data key of its own; the configured key
 * encrypts only data keys. Both use AES-256-GCM with the place of the value as additional data, so
 * that a value that was copied to another row cannot be decrypted there.
 */
@Singleton
public class SecretCipher {

  /**
   * A secret as it is stored.
   *
   * @param text the secret itself when there is no key
   * @param keyId of the key that encrypts it; null when it is not encrypted
   */
  public record StoredSecret(String text, @Nullable String keyId) {

    @Override
    public String toString() {
      return "a secret with key " + keyId;
    }
  }

  private static final Logger LOG = Logger.getLogger(SecretCipher.class);
  private static final String ALGORITHM = "AES/GCM/NoPadding";
  private static final int KEY_BYTES = 32;
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BYTES = 16;
  private static final int WRAPPED_BYTES = NONCE_BYTES + KEY_BYTES + TAG_BYTES;
  private static final int ID_BYTES = 4;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final @Nullable String current;
  private final Map<String, SecretKey> keys = new HashMap<>();

  /**
   * @throws ConfigurationException a key is malformed
   */
  SecretCipher(SecretsConfig config) {
    this.current =
        config.key().map(key -> add("errand.secrets.key (ERRAND_SECRETS_KEY)", key)).orElse(null);
    for (var old : config.oldKeys().orElse(List.of())) {
      add("each of errand.secrets.old-keys (ERRAND_SECRETS_OLD_KEYS)", old);
    }
  }

  private String add(String property, String key) {
    var bytes = decoded(key.strip());
    if (bytes.length != KEY_BYTES) {
      throw new ConfigurationException(
          property
              + " must be the Base64 of 32 random bytes; this makes one: openssl rand -base64 32");
    }
    Secrets.register(key);
    var id = idOf(bytes);
    keys.put(id, new SecretKeySpec(bytes, "AES"));
    return id;
  }

  private static byte[] decoded(String key) {
    try {
      return Base64.getDecoder().decode(key);
    } catch (IllegalArgumentException _) {
      return new byte[0];
    }
  }

  /** Tells keys apart, and reveals nothing about a random key. */
  private static String idOf(byte[] key) {
    try {
      var digest = MessageDigest.getInstance("SHA-256").digest(key);
      return HexFormat.of().formatHex(digest, 0, ID_BYTES);
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** A malformed key stops the start here, before anything runs. */
  void warn(@Observes @Priority(-3) StartupEvent start) {
    if (current == null) {
      LOG.warn(
          "ERRAND_SECRETS_KEY is not set: the secrets of callbacks are stored unencrypted in the"
              + " database");
    }
  }

  /** Returns the id of the key that encrypts; empty when there is none. */
  public Optional<String> currentKey() {
    return Optional.ofNullable(current);
  }

  /** Returns the ids of the keys that decrypt. */
  public Set<String> keys() {
    return Set.copyOf(keys.keySet());
  }

  /**
   * Encrypts a secret with the current key, or leaves it as it is when there is none.
   *
   * @param place the table, column and row of the value
   */
  public StoredSecret encrypt(String secret, String place) {
    if (current == null) {
      return new StoredSecret(secret, null);
    }
    var dataKey = random(KEY_BYTES);
    var wrapped = seal(key(current), dataKey, place);
    var sealed =
        seal(new SecretKeySpec(dataKey, "AES"), secret.getBytes(StandardCharsets.UTF_8), place);
    var both = ByteBuffer.allocate(wrapped.length + sealed.length).put(wrapped).put(sealed);
    return new StoredSecret(Base64.getEncoder().encodeToString(both.array()), current);
  }

  /**
   * Returns the secret.
   *
   * @param place the place at which it was encrypted
   * @throws UnreadableSecret its key is not configured, or the value is not what was encrypted here
   */
  public String decrypt(StoredSecret stored, String place) {
    var keyId = stored.keyId();
    if (keyId == null) {
      return stored.text();
    }
    if (!keys.containsKey(keyId)) {
      throw new UnreadableSecret(
          "it is encrypted with the key "
              + keyId
              + ", which is neither ERRAND_SECRETS_KEY nor one of ERRAND_SECRETS_OLD_KEYS");
    }
    try {
      var both = ByteBuffer.wrap(Base64.getDecoder().decode(stored.text()));
      var dataKey = unseal(key(keyId), take(both, WRAPPED_BYTES), place);
      var secret = unseal(new SecretKeySpec(dataKey, "AES"), take(both, both.remaining()), place);
      return new String(secret, StandardCharsets.UTF_8);
    } catch (GeneralSecurityException | RuntimeException damaged) {
      throw new UnreadableSecret("it was changed, or copied from another row");
    }
  }

  private SecretKey key(String id) {
    return Objects.requireNonNull(keys.get(id));
  }

  private static byte[] seal(SecretKey key, byte[] plain, String place) {
    try {
      var nonce = random(NONCE_BYTES);
      var sealed = cipher(Cipher.ENCRYPT_MODE, key, nonce, place).doFinal(plain);
      return ByteBuffer.allocate(NONCE_BYTES + sealed.length).put(nonce).put(sealed).array();
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static byte[] unseal(SecretKey key, byte[] sealed, String place)
      throws GeneralSecurityException {
    var buffer = ByteBuffer.wrap(sealed);
    var nonce = take(buffer, NONCE_BYTES);
    return cipher(Cipher.DECRYPT_MODE, key, nonce, place).doFinal(take(buffer, buffer.remaining()));
  }

  private static Cipher cipher(int mode, SecretKey key, byte[] nonce, String place)
      throws GeneralSecurityException {
    var cipher = Cipher.getInstance(ALGORITHM);
    cipher.init(mode, key, new GCMParameterSpec(TAG_BYTES * Byte.SIZE, nonce));
    cipher.updateAAD(place.getBytes(StandardCharsets.UTF_8));
    return cipher;
  }

  private static byte[] take(ByteBuffer from, int length) {
    var bytes = new byte[length];
    from.get(bytes);
    return bytes;
  }

  private static byte[] random(int length) {
    var bytes = new byte[length];
    RANDOM.nextBytes(bytes);
    return bytes;
  }

  /** The keys that encrypt secrets in the database, such as those of callbacks. */
  @ConfigMapping(prefix = "errand.secrets")
  public interface SecretsConfig {

    /**
     * The key that encrypts: the Base64 of 32 random bytes, as printed by {@code openssl rand
     * -base64 32}. Absent: secrets are stored as they are, and a warning is logged at start. What
     * is stored already is encrypted within 10 min after the start with a new key.
     */
    Optional<String> key();

    /** The further keys that decrypt, such as the previous one. Default none. */
    Optional<List<String>> oldKeys();
  }
}
