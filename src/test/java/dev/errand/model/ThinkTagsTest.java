package dev.errand.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reasoning in texts, further to the rows of the answers that servers send. */
class ThinkTagsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "<think>a</think><think>b</think>DONE | DONE",
        "<think>```</think>¶<think>b</think>DONE | DONE",
        "<think>a¶```¶b</think>¶```¶<think>c</think>¶``` | ```¶<think>c</think>¶```",
        "One.¶<think>a</think>¶Two. <think>b</think> | One.¶¶Two. <think>b</think>",
        "One.¶<think>never closed | One.¶<think>never closed",
        "  <think>never closed | ''",
        "a</think>b | a</think>b",
      })
  void marksAtTheBeginningOfALineAreReasoning(String text, String expected) {
    assertThat(ThinkTags.removed(text.replace('¶', '\n')))
        .isEqualTo(expected.equals("''") ? "" : expected.replace('¶', '\n'));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '"',
      value = {
        "Hello ! Hello",
        "<thi ! ''",
        "<think>a ! ''",
        "<think>a</think> ! ''",
        "<think>a</think>¶¶Hello ! Hello",
        "¶¶<|channel|>analysis<|mess ! ''",
        "One.¶[TH ! One.¶",
        "One.¶<think>a ! One.",
        "One.¶<think>a</thi ! One.",
        "One.¶<think>a</think>Two. ! One.¶Two.",
        "if a <b ! if a <b",
        "```¶<think>a ! ```¶<think>a",
      })
  void reasoningThatIsStillWrittenIsNotAnAnswer(String text, String expected) {
    assertThat(ThinkTags.begun(text.replace('¶', '\n')))
        .isEqualTo(expected.equals("''") ? "" : expected.replace('¶', '\n'));
  }

  /** With a reader that looks back for each mark, this takes longer than any test run. */
  @Test
  void markThatIsRepeatedCostsTheTextOnce() {
    var inOneLine = "x" + "<think>".repeat(300_000);
    var blocks = " <think></think>".repeat(100_000);

    assertThat(ThinkTags.removed(inOneLine)).isEqualTo(inOneLine);
    assertThat(ThinkTags.removed(blocks)).isEmpty();
  }
}
