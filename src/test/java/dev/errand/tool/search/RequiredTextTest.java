package dev.errand.tool.search;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is looked for before a regular expression is matched. */
class RequiredTextTest {

  private static final List<String> PARTS =
      List.of(
          "a",
          "K",
          "s",
          "7",
          "-",
          "_",
          "\\d",
          "\\w",
          "\\s",
          "\\D",
          "\\.",
          "\\-",
          ".",
          "[a-c]",
          "[^a]",
          "[0-9-]",
          "[\\d_]",
          "[K-T]",
          "[]a]",
          "[[:digit:]]",
          "[\\.-a]",
          "(a|7)",
          "(?:b)",
          "b?",
          "\\d{3}",
          "a{2,}",
          "\\w{1,2}",
          "7{0,2}",
          "[ab]{2}?",
          "a+",
          "\\d*",
          "^",
          "$",
          "\\b",
          "|",
          "é",
          "[é-ü]",
          "{",
          "ſ",
          "(\\d{2})",
          "b{2}x");
  private static final List<String> LETTERS =
      List.of(
          "a", "A", "b", "c", "k", "K", "\u212a", "s", "S", "ſ", "7", "0", "-", "_", ".", " ", "é",
          "x", "{", "]");

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      value = {
        "\\d{5} # field 1234, 67 # false",
        "\\d{5} # field 12345 # true",
        "\\d{2}-[A-F]+ # 1-A, 22-G # false",
        "\\d{2}-[A-F]+ # x 22-F # true",
        "[A-Z]{3,}\\d # ABc1 # false",
        "TODO|\\d{4} # todo 123 # false",
        "TODO|\\d{4} # TODO 123 # true",
        "needle\\d # needle # false",
        "(\\d{5}) # anything # true"
      })
  void textWithoutWhatEachMatchHasIsLeftOut(String regex, String text, boolean mayBe) {
    var required = RequiredText.of(regex.strip(), false);

    assertThat(required.mayBeIn(text)).isEqualTo(mayBe);
    assertThat(required.mayBeIn(text.getBytes(StandardCharsets.UTF_8))).isEqualTo(mayBe);
  }

  @Test
  void noMatchIsEverLeftOut() {
    var random = new Random(7);
    var matches = 0;
    for (int round = 0; round < 100_000; round++) {
      var regex = some(random, PARTS, 5);
      var ignoreCase = random.nextBoolean();
      var text = some(random, LETTERS, 14);
      if (matches(regex, ignoreCase, text)) {
        matches++;
        var required = RequiredText.of(regex, ignoreCase);
        assertThat(required.mayBeIn(text)).as("%s in '%s'", regex, text).isTrue();
        assertThat(required.mayBeIn(text.getBytes(StandardCharsets.UTF_8)))
            .as("%s in the bytes of '%s'", regex, text)
            .isTrue();
      }
    }
    assertThat(matches).isGreaterThan(10_000);
  }

  private static boolean matches(String regex, boolean ignoreCase, String text) {
    try {
      return Pattern.compile(regex, ignoreCase ? Pattern.CASE_INSENSITIVE : 0).matcher(text).find();
    } catch (PatternSyntaxException invalid) {
      return false;
    }
  }

  private static String some(Random random, List<String> of, int atMost) {
    return IntStream.rangeClosed(0, random.nextInt(atMost))
        .mapToObj(_ -> of.get(random.nextInt(of.size())))
        .collect(Collectors.joining());
  }
}
