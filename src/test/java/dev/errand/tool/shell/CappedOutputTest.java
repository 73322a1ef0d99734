package dev.errand.tool.shell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.secret.Secrets;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CappedOutputTest {

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4, 5, 6, 9, 10})
  void shortOutputIsComplete(int length) throws IOException {
    var text = "0123456789".substring(0, length);

    assertThat(read(text).text()).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(ints = {11, 15, 16, 1_000, 16_384, 16_390, 50_001})
  void beginningAndEndOfLongOutputAreKept(int length) throws IOException {
    var text = "0123456789".repeat(length / 10 + 1).substring(0, length);

    assertThat(read(text).text())
        .isEqualTo(
            "01234\n… (%d characters left out) …\n%s"
                .formatted(length - 10, text.substring(length - 5)));
  }

  @Test
  void largePartsOfSecretsBeforeAndAfterTheGapAreMasked() throws IOException {
    var secret = "canary-of-capped-output-0123456789abcdef";
    Secrets.register(secret);
    var output = new CappedOutput(80);
    var text = "0123456789" + secret + ".".repeat(99) + secret + "!";
    output.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));

    assertThat(output.text())
        .startsWith("0123456789***\n")
        .endsWith("***!")
        .doesNotContain("canary", "capped");
  }

  @Test
  void surrogatePairsAreNotSplit() throws IOException {
    assertThat(read("😀".repeat(10)).text()).isEqualTo("😀😀\n… (12 characters left out) …\n😀😀");
  }

  @Test
  void newOutputIsReportedOnce() throws IOException {
    var output = read("0123456789abc");

    assertThat(output.unreported(4)).isEqualTo("9abc");
    assertThat(output.unreported(4)).isEmpty();
    output.read(new ByteArrayInputStream(new byte[] {'x'}));
    assertThat(output.unreported(4)).isEqualTo("x");
  }

  private static CappedOutput read(String text) throws IOException {
    var output = new CappedOutput(10);
    output.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    return output;
  }
}
