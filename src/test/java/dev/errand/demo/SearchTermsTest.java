package dev.errand.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SearchTermsTest {

  @ParameterizedTest
  @CsvSource({
    "codes, code",
    "errors, error",
    "code, code",
    "status, status",
    "class, class",
    "handled, handled",
    "bus, bus",
    "HTTP, HTTP"
  })
  void pluralIsSearchedForAsTheSingular(String word, String term) {
    assertThat(SearchTerms.in(word)).containsExactly(term);
  }

  @Test
  void identifiersAndQuotedTextsStayWhole() {
    assertThat(
            SearchTerms.in(
                "How do `foo_bar`, HttpStatus and application.properties make \"too late\"?"))
        .containsExactly("foo_bar", "HttpStatus", "application.properties", "too late");
  }

  @Test
  void stopWordsAreNoTerms() {
    assertThat(SearchTerms.in("What is this, and where can I find it?")).isEmpty();
  }

  @Test
  void repeatedWordsAreOneTerm() {
    assertThat(SearchTerms.in("retry the retry")).containsExactly("retry");
  }

  @Test
  void sixLongestWordsAreKeptInTheirOrder() {
    assertThat(SearchTerms.in("oak maple birch willow chestnut hornbeam juniper sycamore"))
        .containsExactly("maple", "willow", "chestnut", "hornbeam", "juniper", "sycamore");
  }

  @Test
  void identifiersAreKeptBeforeLongerWords() {
    assertThat(SearchTerms.in("chestnut hornbeam juniper sycamore hazelnut blackthorn aB"))
        .hasSize(6)
        .contains("blackthorn");
    assertThat(SearchTerms.in("chestnut hornbeam juniper sycamore hazelnut blackthorn a_b"))
        .hasSize(6)
        .contains("a_b")
        .doesNotContain("juniper");
  }
}
