package dev.errand.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.standardwebhooks.Webhook;
import dev.errand.secret.Secrets;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookSecretTest {

  @Test
  void signatureEqualsThatOfTheStandardWebhooksLibrary() throws Exception {
    var secret = WebhookSecret.random();

    assertThat(secret.sign("dlv_1", 1_700_000_000, "{\"a\": \"ä\"}"))
        .isEqualTo(new Webhook(secret.text()).sign("dlv_1", 1_700_000_000, "{\"a\": \"ä\"}"));
  }

  @ParameterizedTest
  @ValueSource(ints = {24, 32, 64})
  void secretOf24To64BytesIsAccepted(int bytes) {
    assertThat(WebhookSecret.parse(ofLength(bytes))).isPresent();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 23, 65})
  void shorterOrLongerSecretIsRefused(int bytes) {
    assertThat(WebhookSecret.parse(ofLength(bytes))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "whsec", "whsec_ä", "whsec_!!!!", "WHSEC_AAAA", "secret"})
  void textThatIsNotASecretIsRefused(String text) {
    assertThat(WebhookSecret.parse(text)).isEmpty();
  }

  @Test
  void generatedSecretsDifferAndAreAccepted() {
    var secret = WebhookSecret.random();

    assertThat(secret).isNotEqualTo(WebhookSecret.random());
    assertThat(WebhookSecret.parse(secret.text())).contains(secret);
  }

  @Test
  void toStringDoesNotRevealTheSecret() {
    var secret = WebhookSecret.random();

    assertThat(secret.toString()).doesNotContain(secret.text().substring(6));
  }

  /** A client chooses its secret, and must not be able to have common words masked for others. */
  @Test
  void aSecretIsMaskedOnlyAsAWhole() {
    var path = "org/example/framework/boot/Application42";
    assertThat(WebhookSecret.parse("whsec_" + path)).isPresent();

    assertThat(Secrets.masked("whsec_" + path)).isEqualTo("***");
    assertThat(Secrets.masked("src/" + path)).isEqualTo("src/" + path);
  }

  private static String ofLength(int bytes) {
    return "whsec_" + Base64.getEncoder().encodeToString(new byte[bytes]);
  }
}
