package dev.errand.delegate.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShellWordsTest {

  static Stream<Arguments> lines() {
    return Stream.of(
        Arguments.of("a  b\tc ", List.of("a", "b", "c")),
        Arguments.of("", List.of()),
        Arguments.of("--prompt \"two words\"", List.of("--prompt", "two words")),
        Arguments.of("--prompt='it is \"so\" \\n'", List.of("--prompt=it is \"so\" \\n")),
        Arguments.of("\"say \\\"hi\\\" for \\$5 \\a\"", List.of("say \"hi\" for $5 \\a")),
        Arguments.of("'don'\\''t'", List.of("don't")),
        Arguments.of("a\"b\"'c'd", List.of("abcd")),
        Arguments.of("'' \"\"", List.of("", "")),
        Arguments.of("a\\ b \\| \\\"", List.of("a b", "|", "\"")),
        Arguments.of("a \\\n  b", List.of("a", "b")),
        Arguments.of(
            "\"two\nlines; a | b && $(c) `d` > e\"", List.of("two\nlines; a | b && $(c) `d` > e")),
        Arguments.of("\"a \\\nb\"", List.of("a b")),
        Arguments.of("$HOME * ~ #x", List.of("$HOME", "*", "~", "#x")),
        Arguments.of("a\\", List.of("a\\")),
        Arguments.of("\n a b \n", List.of("a", "b")));
  }

  @ParameterizedTest
  @MethodSource("lines")
  void lineIsSplitAsAShellSplitsIt(String line, List<String> words) throws Exception {
    assertThat(ShellWords.of(line)).isEqualTo(words);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      quoteCharacter = '^',
      value = {"a \"b # \" # 3", "'b # ' # 1", "a \"b\\\" # \" # 3"})
  void errorOfAnUnclosedQuoteNamesItsPosition(String line, String quote, int position) {
    assertThatThrownBy(() -> ShellWords.of(line))
        .hasMessageContaining("the quote %s at character %d is never closed", quote, position);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a | b", "a; b", "a && b", "a &", "a > b", "a < b", "a $(b)", "a `b`", "a\nb", "(a)"
      })
  void lineWithMoreThanOneSimpleCommandIsRefused(String line) {
    assertThatThrownBy(() -> ShellWords.of(line)).hasMessageContaining("one simple command");
  }
}
