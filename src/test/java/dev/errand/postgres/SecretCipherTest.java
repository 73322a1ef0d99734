package dev.errand.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.postgres.SecretCipher.SecretsConfig;
import dev.errand.postgres.SecretCipher.StoredSecret;
import io.quarkus.runtime.configuration.ConfigurationException;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

public class SecretCipherTest {

  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  private static final String KEY = key(1);
  private static final String OTHER_KEY = key(2);

  @Test
  void secretIsEncryptedAndDecryptedInItsPlace() {
    var cipher = cipher(KEY);

    var stored = cipher.encrypt(SECRET, "row 1");

    assertThat(stored.text()).doesNotContain(SECRET).doesNotContain(KEY);
    assertThat(cipher.decrypt(stored, "row 1")).isEqualTo(SECRET);
    assertThat(cipher.encrypt(SECRET, "row 1").text()).isNotEqualTo(stored.text());
  }

  @Test
  void withoutAKeyItIsStoredAsItIsAndCanBeReadLater() {
    var stored = cipher(null).encrypt(SECRET, "row 1");

    assertThat(stored).isEqualTo(new StoredSecret(SECRET, null));
    assertThat(cipher(KEY).decrypt(stored, "row 1")).isEqualTo(SECRET);
  }

  @Test
  void oldKeyDecryptsAndDoesNotEncrypt() {
    var old = cipher(OTHER_KEY).encrypt(SECRET, "row 1");
    var cipher = cipher(KEY, OTHER_KEY);

    assertThat(cipher.decrypt(old, "row 1")).isEqualTo(SECRET);
    assertThat(cipher.encrypt(SECRET, "row 1").keyId())
        .isEqualTo(cipher(KEY).currentKey().orElseThrow())
        .isNotEqualTo(old.keyId());
    assertThat(cipher(null, OTHER_KEY).encrypt(SECRET, "row 1").keyId()).isNull();
  }

  @Test
  void wrongKeyIsNamedOnlyByItsId() {
    var stored = cipher(KEY).encrypt(SECRET, "row 1");

    assertThatThrownBy(() -> cipher(OTHER_KEY).decrypt(stored, "row 1"))
        .isInstanceOf(UnreadableSecret.class)
        .hasMessageContaining("the key " + stored.keyId())
        .hasMessageContaining("ERRAND_SECRETS_OLD_KEYS");
    assertThatThrownBy(() -> cipher(null).decrypt(stored, "row 1"))
        .isInstanceOf(UnreadableSecret.class);
  }

  @Test
  void changedAndCopiedSecretsAreRefused() {
    var cipher = cipher(KEY);
    var stored = cipher.encrypt(SECRET, "row 1");
    var bytes = Base64.getDecoder().decode(stored.text());

    assertUnreadable(cipher, stored, "row 2");
    for (var place : List.of(0, 20, 60, 75, bytes.length - 1)) {
      var changed = bytes.clone();
      changed[place] ^= 1;
      var text = Base64.getEncoder().encodeToString(changed);
      assertUnreadable(cipher, new StoredSecret(text, stored.keyId()), "row 1");
    }
    assertUnreadable(cipher, new StoredSecret("", stored.keyId()), "row 1");
    assertUnreadable(cipher, new StoredSecret(SECRET, stored.keyId()), "row 1");
  }

  private static void assertUnreadable(SecretCipher cipher, StoredSecret stored, String place) {
    assertThatThrownBy(() -> cipher.decrypt(stored, place))
        .isInstanceOf(UnreadableSecret.class)
        .hasMessageContaining("changed, or copied")
        .hasNoCause();
  }

  @ParameterizedTest
  @ValueSource(strings = {"correct horse battery staple", "c2hvcnQ=", "AAAA", "§"})
  void malformedKeyIsRefusedWithoutBeingShown(String key) {
    assertThatThrownBy(() -> cipher(key))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("ERRAND_SECRETS_KEY")
        .hasMessageContaining("openssl rand -base64 32")
        .hasMessageNotContaining(key);
    assertThatThrownBy(() -> cipher(KEY, key))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("ERRAND_SECRETS_OLD_KEYS");
  }

  private static String key(int fill) {
    var bytes = new byte[32];
    java.util.Arrays.fill(bytes, (byte) fill);
    return Base64.getEncoder().encodeToString(bytes);
  }

  public static SecretCipher cipher(@Nullable String key, String... old) {
    return new SecretCipher(
        new SecretsConfig() {
          @Override
          public Optional<String> key() {
            return Optional.ofNullable(key);
          }

          @Override
          public Optional<List<String>> oldKeys() {
            return Optional.of(List.of(old));
          }
        });
  }
}
