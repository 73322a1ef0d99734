package dev.errand.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MessageTest {

  /** Texts are code points, separated by spaces. */
  @ParameterizedTest(name = "{0} ({1}): {2}")
  @CsvSource({
    "'', nothing, false",
    "20 09 0A 0D, white space, false",
    "A0, no-break space, false",
    "2007 202F 3000, spaces of typography, false",
    "200B, zero width space, false",
    "200C 200D 2060, joiners, false",
    "FEFF, byte order mark, false",
    "AD, soft hyphen, false",
    "200E 202A 2066, directions, false",
    "2028 2029, separators, false",
    "00 1B, controls, false",
    "034F, combining grapheme joiner, false",
    "FE0F E0100, variation selectors, false",
    "E0001 E0041, tags, false",
    "115F 1160 3164 FFA0, fillers, false",
    "2800, blank of Braille, false",
    "FFFD, replacement character, false",
    "A0 61 200B, a letter between them, true",
    "30, digit, true",
    "2E, full stop, true",
    "2705, emoji, true",
    "1F44D 1F3FD, emoji with a colour, true",
    "65 0301, letter with an accent, true",
    "6F22, ideograph, true",
    "5E9 5B8, Hebrew, true",
    "E000, private use, true"
  })
  void wordsAreVisible(String points, String name, boolean hasWords) {
    assertThat(said(text(points)).hasWords()).as(name).isEqualTo(hasWords);
  }

  @Test
  void wordsOfMessagesAreJoinedWithoutRepetitions() {
    var messages = Stream.of("a\n", "", "b", "\u00A0", "a", "b").map(MessageTest::said).toList();

    assertThat(Message.words(messages)).isEqualTo("a\n\nb");
    assertThat(Message.words(messages.subList(1, 2))).isEmpty();
    assertThat(Message.words(List.of())).isEmpty();
  }

  @Test
  void oldestOfManyWordsAreLeftOut() {
    var messages =
        Stream.of("a".repeat(20_000), "b".repeat(20_000), "c").map(MessageTest::said).toList();

    assertThat(Message.words(messages)).isEqualTo("b".repeat(20_000) + "\n\nc");
    assertThat(Message.words(List.of(said("a".repeat(50_000))))).hasSize(50_000);
  }

  private static String text(String points) {
    var text = new StringBuilder();
    Stream.of(points.split(" "))
        .filter(point -> !point.isEmpty())
        .forEach(point -> text.appendCodePoint(Integer.parseInt(point, 16)));
    return text.toString();
  }

  private static Message said(String text) {
    return Message.assistant(List.of(new Content.Text(text)));
  }
}
