package dev.errand.hook;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DecisionTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "  \n",
        "{}",
        "{\"decision\":\"allow\"}",
        "{\"decision\":\"approve\",\"reason\":\"fine\"}",
        "{\"hookSpecificOutput\":{\"permissionDecision\":\"allow\"}}",
        "{\"continue\":true,\"systemMessage\":\"x\"}"
      })
  void noDenialAllows(String text) {
    assertThat(Decision.of(text, false)).isInstanceOf(Decision.Allowed.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "{\"decision\":\"deny\",\"reason\":\"no\"}; no",
        "{\"decision\":\"Block\",\"reason\":\"no\"}; no",
        "{\"decision\":\"deny\"}; ''",
        "{\"continue\":false,\"stopReason\":\"no\"}; no",
        "{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"no\"}}; no",
        "{\"decision\":\"approve\",\"hookSpecificOutput\":{\"permissionDecision\":\"deny\"}}; ''"
      })
  void denialIsUnderstoodInEachForm(String text, String reason) {
    assertThat(Decision.of(text, false)).isEqualTo(new Decision.Denied(reason));
  }

  /** Otherwise a call would be made that was not allowed in this form. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"decision\":\"maybe\"}",
        "{\"decision\":1}",
        "{\"hookSpecificOutput\":{\"permissionDecision\":\"ask\"}}",
        "{\"hookSpecificOutput\":{\"permissionDecision\":\"allow\",\"updatedInput\":{}}}",
        "{\"decision\":\"allow\"",
        "{}\n{\"decision\":\"deny\"}",
        "{\"decision\":\"allow\"} checked",
        "{\"decision\":\"deny\",\"decision\":\"allow\"}",
        "{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\"},\"hookSpecificOutput\":{}}",
        "[]"
      })
  void whatIsNotUnderstoodAllowsNothing(String text) {
    assertThat(Decision.of(text, false)).isInstanceOf(Decision.Unreadable.class);
  }

  @ParameterizedTest
  @CsvSource({"true, Allowed", "false, Unreadable"})
  void plainTextDecidesNothingForHooksOfAgentFiles(boolean lenient, String outcome) {
    assertThat(Decision.of("checked", lenient).getClass().getSimpleName()).isEqualTo(outcome);
  }
}
