package dev.errand.secret;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretsTest {

  private static final String KEY = "sk-canary/7f\"3+Zq<9&ä-0123456789abcdefghijklmnopqrstuvwxyz";

  @BeforeAll
  static void register() {
    Secrets.register(KEY);
    Secrets.register("eight888");
    Secrets.register("seven77");
    Secrets.register("eight888-and-longer");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "ab", "abc", "key=", "ä"})
  void everyAlignmentOfBase64IsMasked(String before) {
    for (var after : new String[] {"", "\n", "!!", "more"}) {
      var text = (before + KEY + after).getBytes(StandardCharsets.UTF_8);

      for (var encoded :
          new String[] {
            Base64.getEncoder().encodeToString(text),
            Base64.getUrlEncoder().encodeToString(text),
            Base64.getMimeEncoder(76, "\n".getBytes(StandardCharsets.UTF_8)).encodeToString(text),
            Base64.getMimeEncoder(20, "\r\n".getBytes(StandardCharsets.UTF_8)).encodeToString(text)
          }) {
        var masked = Secrets.masked("x " + encoded + " y");
        assertThat(masked).startsWith("x ").endsWith(" y").contains("***");
        assertThat(masked.length()).isLessThan(30);
      }
    }
  }

  @Test
  void otherEncodingsAreMasked() throws Exception {
    var bytes = KEY.getBytes(StandardCharsets.UTF_8);
    var json = JsonMapper.builder().build();
    var inJson = json.writeValueAsString(KEY);

    for (var form :
        new String[] {
          KEY,
          HexFormat.of().formatHex(bytes),
          HexFormat.of().withUpperCase().formatHex(bytes),
          URLEncoder.encode(KEY, StandardCharsets.UTF_8),
          URLEncoder.encode(KEY, StandardCharsets.UTF_8)
                  .toLowerCase(java.util.Locale.ROOT)
                  .startsWith("sk")
              ? URLEncoder.encode(KEY, StandardCharsets.UTF_8)
                  .replace("%2F", "%2f")
                  .replace("%2B", "%2b")
                  .replace("%3C", "%3c")
                  .replace("%C3%A4", "%c3%a4")
              : "",
          inJson.substring(1, inJson.length() - 1),
          json.writeValueAsString(inJson)
              .substring(3, json.writeValueAsString(inJson).length() - 3),
          KEY.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;")
        }) {
      assertThat(Secrets.masked("[" + form + "]")).as(form).isEqualTo("[***]");
    }
  }

  @Test
  void everyOccurrenceIsMaskedAndTheLongestSecretWins() {
    assertThat(Secrets.masked("eight888eight888 eight888-and-longer")).isEqualTo("****** ***");
    assertThat(Secrets.masked("seven77 eight88 ight888")).isEqualTo("seven77 eight88 ight888");
    assertThat(Secrets.masked("eig\nht8\r\n88.")).isEqualTo("***.");
  }

  @Test
  void aSecretOfWhichTheServiceCutsOffLessThanHalfIsMasked() {
    assertThat(Secrets.maskedHead("cut: " + KEY.substring(0, 30))).isEqualTo("cut: ***");
    assertThat(Secrets.maskedTail(KEY.substring(20) + " and " + KEY)).isEqualTo("*** and ***");
    assertThat(Secrets.maskedTail(KEY.substring(10, 40))).isEqualTo("***");
    assertThat(Secrets.maskedTail("no secret")).isEqualTo("no secret");
  }

  /** A caller whose guess is returned masked could find out a secret, one character at a time. */
  @Test
  void aPartOfASecretIsNotConfirmed() {
    for (int length = 1; length < KEY.length(); length++) {
      var guess = KEY.substring(0, length);
      assertThat(Secrets.masked(guess)).isEqualTo(guess);
    }
    for (int length = 1; length < KEY.length() / 2; length++) {
      var guess = KEY.substring(0, length);
      assertThat(Secrets.maskedTail(guess)).isEqualTo(guess);
    }
  }

  @Test
  void valuesInJsonAreMaskedAndTheJsonStaysValid() throws Exception {
    var json = JsonMapper.builder().build();
    Secrets.register("nabcdefghij");
    var value =
        json.readTree("{\"a\\nabcdefghij\": [\"nabcdefghij\", 7, null, {\"b\": \"eight888\"}]}");

    assertThat(Secrets.masked(value).toString())
        .isEqualTo("{\"a\\nabcdefghij\":[\"***\",7,null,{\"b\":\"***\"}]}");
  }

  @Test
  void ofSecretsThatBeginAlikeTheLongestIsFound() {
    for (var end : new String[] {"", "-b", "-bcd", "-bce", "-c", "-b-and-more"}) {
      Secrets.remember("alike-secret" + end);
    }

    assertThat(Secrets.masked("alike-secret-bc alike-secret-bcf alike-secret-b-and-mor"))
        .isEqualTo("***c ***cf ***-and-mor");
    assertThat(Secrets.masked("alike-secret-bce alike-secret- alike-secre"))
        .isEqualTo("*** ***- alike-secre");
    assertThat(Secrets.maskedHead("alike-secret-b-and")).isEqualTo("***");
  }

  @Test
  void secretIsMaskedWhereverATextThatIsStillWrittenIsCut() {
    var text = "The key is " + KEY + ", and the other one is eight888-and-longer. That is all.";
    var whole = Secrets.masked(text);

    for (int end = 0; end <= text.length(); end++) {
      var soFar = Secrets.maskedSoFar(text.substring(0, end));
      assertThat(whole).startsWith(soFar);
    }
    assertThat(Secrets.maskedSoFar(text)).isEqualTo(whole.substring(0, whole.length() - 4));
  }

  /** Otherwise the missing end would tell that a guess is right. */
  @Test
  void whetherAWordIsStillMissingDoesNotDependOnItsLetters() {
    for (var word : new String[] {KEY.substring(0, 20), "sk-canary/7f\"3+Zr<9&", "any"}) {
      assertThat(Secrets.maskedSoFar("It is " + word)).isEqualTo("It is ");
    }
    assertThat(Secrets.maskedSoFar("今日は")).isEqualTo("今日は");
  }

  @Test
  void secretWithSpacesIsMaskedFromItsHalfOn() {
    Secrets.register("correct horse battery staple");

    assertThat(Secrets.maskedSoFar("Say correct horse batt")).isEqualTo("Say ");
    assertThat(Secrets.maskedSoFar("Say correct horse battery sta")).isEqualTo("Say ");
    assertThat(Secrets.maskedSoFar("Say correct horse battery staple to "))
        .isEqualTo("Say *** to ");
    assertThat(Secrets.maskedSoFar("Say correct horse battery charger to "))
        .isEqualTo("Say correct horse battery charger to ");
  }

  /** A client can choose the secrets of its callbacks, and what it sends. */
  @Test
  @Timeout(30)
  void manySecretsThatBeginAlikeSlowNothingDown() {
    IntStream.range(0, 10_000).forEach(i -> Secrets.remember("whsec_alike/%05d".formatted(i)));
    var text = "whsec_alike/1234 ".repeat(60_000);

    assertThat(Secrets.masked(text)).isEqualTo(text);
    assertThat(Secrets.masked(text + "whsec_alike/01234")).isEqualTo(text + "***");
  }

  @Test
  void rememberedSecretsAreForgottenWhenThereAreTooMany() {
    IntStream.rangeClosed(0, 9_999).forEach(i -> Secrets.remember("remembered-%05d-".formatted(i)));
    Secrets.remember("remembered-00000-");
    Secrets.remember("remembered-10000-");

    assertThat(Secrets.masked("remembered-00000- remembered-00001- remembered-10000-"))
        .isEqualTo("*** remembered-00001- ***");
  }

  @Test
  void aTextWithoutASecretIsReturnedAsItIs() {
    var random = new Random(1);
    var text = new StringBuilder();
    random.ints(2_000_000, ' ', 'z').forEach(c -> text.append((char) c));
    var plain = text.toString();

    assertThat(Secrets.masked(plain)).isSameAs(plain);
  }
}
