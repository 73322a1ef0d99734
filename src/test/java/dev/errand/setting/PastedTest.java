package dev.errand.setting;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PastedTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sk-secret",
        "sk-secret\n",
        "sk-secret\r\n",
        "  sk-secret\t",
        "\"sk-secret\"",
        "'sk-secret'\n",
        "\" sk-secret \"",
        "“sk-secret”",
        "\uFEFFsk-secret",
        "sk-secret\u200B",
        "\u00A0sk-secret\u00A0",
        "sk-secret\0",
      })
  void keyIsReadWithoutWhatIsAroundIt(String pasted) {
    var key = Pasted.plain(pasted);

    assertThat(key).isEqualTo("sk-secret");
    assertThat(Pasted.problemOfKey(key)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "'", "\"", "\"'", "it's", "'a", "a\""})
  void singleQuotationMarksStay(String text) {
    assertThat(Pasted.plain(text)).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Bearer sk-secret",
        "sk-secret\nsk-other",
        "sk-sec…ret",
        "sk-sécret",
        "sk-\u0007secret",
        "sk-sec\u200Bret",
        "sk secret"
      })
  void keyThatCannotBeSentIsRefusedWithoutQuotingIt(String key) {
    assertThat(Pasted.problemOfKey(key))
        .hasValueSatisfying(problem ->
            assertThat(problem)
                .startsWith("must be one word of visible ASCII characters, but contains ")
                .doesNotContain("sk-", "secret"));
  }
}
