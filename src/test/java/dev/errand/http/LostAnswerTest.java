package dev.errand.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LostAnswerTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v1/sessions",
        "/v1/tasks/",
        "/v1/sessions/ses_1/messages",
        "/v1/sessions/ses_1/commands"
      })
  void requestWithAKeyIsRepeatedWithIt(String path) {
    assertThat(LostAnswer.advice("POST", path, true))
        .isEqualTo("To find out, repeat it with the same Idempotency-Key.");
    assertThat(LostAnswer.advice("POST", path, false))
        .doesNotContain("epeat it")
        .contains("with an Idempotency-Key can be repeated");
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/sessions, list GET /v1/sessions;",
    "/v1/sessions/, list GET /v1/sessions;",
    "/v1/tasks, list GET /v1/tasks;",
    "/v1/sessions/ses_1/messages, missing in GET /v1/sessions/ses_1/messages while it waits",
    "/v1/sessions/ses_1/commands, 'list GET /v1/tasks, or GET /v1/sessions/ses_1/messages'",
    "/v1/keys, list GET /v1/keys.",
    "/v1/pauses, list GET /v1/pauses.",
    "/v1/sessions/ses_1/tokens, a further token does no harm"
  })
  void requestWhoseRepetitionWouldBeAnotherOneIsLookedFor(String path, String advice) {
    assertThat(LostAnswer.advice("POST", path, false))
        .contains(advice)
        .doesNotContain("changes nothing more");
  }

  @ParameterizedTest
  @CsvSource({
    "PUT, /v1/tenants/keys",
    "DELETE, /v1/sessions/messages",
    "DELETE, /v1/keys/tokens",
    "DELETE, /v1/pauses/pau_1",
    "POST, /v1/agents/reload",
    "POST, /v1/tasks/task_1/ack",
    "POST, /v1/deliveries/dlv_1/retry",
    "POST, /v1/deliveries/dlv_1/dismiss",
    "POST, /v1/sessions/ses_1/tool-calls"
  })
  void idempotentRequestIsRepeated(String method, String path) {
    assertThat(LostAnswer.advice(method, path, false))
        .isEqualTo("Repeat it: if it was accepted, the repetition changes nothing more.");
  }

  @Test
  void keyOfARequestThatTakesNoneIsNoReasonToRepeatIt() {
    assertThat(LostAnswer.advice("POST", "/v1/keys", true)).contains("list GET /v1/keys");
  }
}
