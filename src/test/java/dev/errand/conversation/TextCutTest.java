package dev.errand.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TextCutTest {

  private static final String PAIR = "😀";

  @Test
  void shortTextIsNotChanged() {
    assertThat(TextCut.head("abc", 3)).isEqualTo("abc");
    assertThat(TextCut.tail("abc", 3)).isEqualTo("abc");
    assertThat(TextCut.withEllipsis("abc", 3)).isEqualTo("abc");
  }

  @Test
  void longTextIsCut() {
    assertThat(TextCut.head("abc", 2)).isEqualTo("ab");
    assertThat(TextCut.tail("abc", 2)).isEqualTo("bc");
    assertThat(TextCut.withEllipsis("abc", 2)).isEqualTo("ab…");
    assertThat(TextCut.head("abc", 0)).isEmpty();
    assertThat(TextCut.tail("abc", 0)).isEmpty();
  }

  @Test
  void surrogatePairIsNotSplit() {
    assertThat(TextCut.head("a" + PAIR + "b", 2)).isEqualTo("a");
    assertThat(TextCut.head("a" + PAIR + "b", 3)).isEqualTo("a" + PAIR);
    assertThat(TextCut.tail("a" + PAIR + "b", 2)).isEqualTo("b");
    assertThat(TextCut.tail("a" + PAIR + "b", 3)).isEqualTo(PAIR + "b");
    assertThat(TextCut.withEllipsis("a" + PAIR + "b", 2)).isEqualTo("a…");
  }

  @Test
  void wordsStayWholeAndTheEllipsisFits() {
    assertThat(TextCut.words("find the tests", 14)).isEqualTo("find the tests");
    assertThat(TextCut.words("find the tests", 13)).isEqualTo("find the…");
    assertThat(TextCut.words("find the tests", 9)).isEqualTo("find the…");
    assertThat(TextCut.words("find the tests", 8)).isEqualTo("find…");
    assertThat(TextCut.words("findthetests", 8)).isEqualTo("findthe…");
    assertThat(TextCut.words("aaa" + PAIR + "bbb", 5)).isEqualTo("aaa…");
  }

  @Test
  void firstWordsAreLimitedInNumberAndLength() {
    assertThat(TextCut.firstWords("  find\n the   tests ", 2, 80)).isEqualTo("find the");
    assertThat(TextCut.firstWords("find the tests", 3, 8)).isEqualTo("find the…");
    assertThat(TextCut.firstWords(" ", 3, 8)).isEmpty();
  }
}
