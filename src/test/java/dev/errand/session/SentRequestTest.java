package dev.errand.session;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.secret.Secrets;
import org.junit.jupiter.api.Test;

class SentRequestTest {

  @Test
  void bodyIsTheSameAfterwardsExceptForSecretsAndTheNonce() {
    Secrets.remember("pass\"word-of-the-test");

    var sent = sent(body("use pass\"word-of-the-test, <notice-4711>, größe, \0"));

    assertThat(SentRequest.json(requireNonNull(sent.compressed())))
        .isEqualTo(body("use ***, <notice-***>, größe, \0").toString());
  }

  @Test
  void largeBodyIsLeftOut() {
    var frame = body("").toString().length();

    var most = sent(body("x".repeat(SentRequest.MOST_BYTES - frame)));
    var more = sent(body("x".repeat(SentRequest.MOST_BYTES - frame + 1)));

    assertThat(most.compressed()).hasSizeBetween(1, 100_000);
    assertThat(more.compressed()).isNull();
    assertThat(more.bytes()).isZero();
  }

  private static SentRequest sent(ObjectNode body) {
    return SentRequest.of(body, "4711");
  }

  private static ObjectNode body(String text) {
    return JsonNodeFactory.instance.objectNode().put("text", text);
  }
}
