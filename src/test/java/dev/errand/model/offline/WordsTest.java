package dev.errand.model.offline;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WordsTest {

  @ParameterizedTest
  @CsvSource({
    "codes, code",
    "code, code",
    "decided, decid",
    "decides, decid",
    "decide, decid",
    "retry, retr(y|ie)",
    "retries, retr(y|ie)",
    "retried, retr(y|ie)",
    "retrying, retr(y|ie)",
    "mapped, map",
    "mapping, map",
    "handled, handl",
    "handles, handl",
    "classes, class",
    "status, status",
    "string, string",
    "need, need",
    "bus, bus",
    "HTTP, http"
  })
  void variantsOfAWordHaveOneStem(String word, String stem) {
    assertThat(Words.stem(word)).isEqualTo(stem);
  }

  @Test
  void identifiersAndQuotedWordsStayWhole() {
    assertThat(
            Words.of("How do `foo_bar`, HttpStatus and application.properties make \"too late\"?"))
        .extracting(Word::pattern)
        .containsExactly("foo_bar", "too late", "HttpStatus", "application\\.properties");
  }

  @Test
  void stopWordsAreNoWords() {
    assertThat(Words.of("What is this, and where can I find it?")).isEmpty();
  }

  @Test
  void variantsCountOnce() {
    assertThat(Words.of("retry the retried retries"))
        .extracting(Word::said)
        .containsExactly("retry");
  }

  @Test
  void sixLongestWordsAreKeptInTheirOrder() {
    assertThat(Words.of("oak maple birch willow chestnut hornbeam juniper sycamore"))
        .extracting(Word::said)
        .containsExactly("maple", "willow", "chestnut", "hornbeam", "juniper", "sycamore");
  }
}
