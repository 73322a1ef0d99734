package dev.errand.tool.search;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.errand.tool.search.LineMatch.RequiredLiteral;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequiredLiteralTest {

  private static final List<String> REGEX_PARTS =
      List.of(
          "a",
          "K",
          "s",
          "7",
          "-",
          "_",
          "é",
          "ſ",
          "{",
          "]",
          "}",
          "\\d",
          "\\w",
          "\\s",
          "\\D",
          "\\b",
          "\\.",
          "\\-",
          "\\\\",
          ".",
          "^",
          "$",
          "|",
          "[a-c]",
          "[^a]",
          "[0-9-]",
          "[\\d_]",
          "[K-T]",
          "[]a]",
          "[[:digit:]]",
          "[\\.-a]",
          "[é-ü]",
          "[(|)]",
          "(a|7)",
          "(?:b)",
          "(\\d{2})",
          "(ab)?",
          "b?",
          "a+",
          "\\d*",
          "a{2,}",
          "\\w{1,2}",
          "7{0,2}",
          "[ab]{2}?",
          "b{2}x",
          "\\Qa.\\E");
  private static final List<String> LETTERS =
      List.of(
          "a", "A", "b", "c", "k", "K", "\u212a", "s", "S", "ſ", "7", "0", "-", "_", ".", " ", "é",
          "x", "{", "]", "\\", "(", "|");

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      value = {
        "needle # needle",
        "new\\s+Needle\\w+\\( # Needle",
        "ab?cde # cde",
        "abcd*x # abc",
        "ab+c # ab",
        "abc{2}d # ab",
        "map{ # map{",
        "a\\.b # a.b",
        "(foo|bar)bazaar # bazaar",
        "[(]abc[)] # abc",
        "\\bclass\\b # class"
      })
  void longestLiteralIsFound(String regex, String literal) {
    assertThat(RequiredLiteral.of(regex, false).anyOf()).containsExactly(literal);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "\\d{5}", "(needle)", "needle|", "(?i)needle", "\\Qneedle\\E", "\\x61b", "äö"})
  void unsupportedExpressionHasNoLiteral(String regex) {
    assertThat(RequiredLiteral.of(regex, false).anyOf()).isEmpty();
  }

  @Test
  void eachAlternativeHasItsLiteral() {
    var required = RequiredLiteral.of("TODO|FIX\\w+|(a|b)cd", false);

    assertThat(required.anyOf()).containsExactly("TODO", "FIX", "cd");
    assertThat(required.mayBeIn("a FIXME")).isTrue();
    assertThat(required.mayBeIn("a fixme")).isFalse();
  }

  /** The Kelvin sign and the long s match k and s when the case is ignored. */
  @Test
  void caseIsIgnoredForAllLettersButKAndS() {
    var required = RequiredLiteral.of("misty kelvin", true);

    assertThat(required.anyOf()).containsExactly("elvin");
    assertThat(required.mayBeIn("MISTY \u212aELVIN")).isTrue();
  }

  @Test
  void everyMatchContainsTheLiteral() {
    var seed = new Random().nextLong();
    System.out.println("RequiredLiteralTest: seed " + seed);
    var random = new Random(seed);
    var matches = 0;
    for (int round = 0; matches < 500; round++) {
      var regex = some(random, REGEX_PARTS, 5);
      var ignoreCase = random.nextBoolean();
      var text = some(random, LETTERS, 14);
      if (matches(regex, ignoreCase, text)) {
        matches++;
        var required = RequiredLiteral.of(regex, ignoreCase);
        assertThat(
                List.of(
                    required.mayBeIn(text),
                    required.mayBeIn(text.getBytes(StandardCharsets.UTF_8))))
            .as("%s in '%s' (seed %d, round %d)", regex, text, seed, round)
            .containsOnly(true);
      }
    }
  }

  private static boolean matches(String regex, boolean ignoreCase, String text) {
    try {
      return Pattern.compile(regex, ignoreCase ? Pattern.CASE_INSENSITIVE : 0).matcher(text).find();
    } catch (PatternSyntaxException invalid) {
      return false;
    }
  }

  private static String some(Random random, List<String> parts, int max) {
    return IntStream.rangeClosed(0, random.nextInt(max))
        .mapToObj(_ -> parts.get(random.nextInt(parts.size())))
        .collect(Collectors.joining());
  }
}
