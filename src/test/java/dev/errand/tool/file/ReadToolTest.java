package dev.errand.tool.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.tool.ToolOutcome;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReadToolTest {

  @TempDir Path folder;
  private WorkspaceKit kit;

  @BeforeEach
  void workspace() {
    kit = new WorkspaceKit(folder);
  }

  @Test
  void linesAreNumberedFromOne() {
    kit.file("a.txt", "first\nsecond\r\n\nfourth");

    var read = kit.call("read", "file_path", "a.txt");

    assertThat(read)
        .isEqualTo(ToolOutcome.ok("     1\tfirst\n     2\tsecond\n     3\t\n     4\tfourth"));
  }

  @Test
  void absolutePathInsideTheWorkspaceIsAccepted() {
    var file = kit.file("src/a.txt", "x");

    assertThat(kit.call("read", "file_path", file.toString()).text()).isEqualTo("     1\tx");
  }

  @Test
  void windowOfLinesStatesTheNextOffset() {
    kit.file("a.txt", numbers(10));

    var read = kit.call("read", "file_path", "a.txt", "offset", 3, "limit", 2);

    assertThat(read.text())
        .isEqualTo(
            "     3\t3\n     4\t4\n(Lines 3 to 4 are shown, and more follow: continue with offset 5.)");
  }

  @Test
  void lastWindowHasNoRemark() {
    kit.file("a.txt", numbers(10));

    var read = kit.call("read", "file_path", "a.txt", "offset", 9, "limit", 2);

    assertThat(read.text()).isEqualTo("     9\t9\n    10\t10");
  }

  @Test
  void defaultLimitIs2000Lines() {
    kit.file("a.txt", numbers(2_001));

    assertThat(kit.call("read", "file_path", "a.txt").text())
        .contains("  2000\t2000\n")
        .endsWith("continue with offset 2001.)");
  }

  @Test
  void resultSizeIsLimited() {
    kit.file("a.txt", ("x".repeat(1_000) + "\n").repeat(1_000));

    var read = kit.call("read", "file_path", "a.txt").text();

    assertThat(read)
        .hasSizeBetween(45_000, 51_000)
        .containsPattern("continue with offset \\d+\\.\\)$");
  }

  @Test
  void longLineIsCut() {
    kit.file("a.txt", "x".repeat(30_000_000) + "\nnext");

    assertThat(kit.call("read", "file_path", "a.txt").text())
        .startsWith("     1\t" + "x".repeat(2_000) + "… [cut: the line has 30000000 characters]\n")
        .endsWith("     2\tnext");
  }

  @Test
  void offsetAfterTheEndIsAnError() {
    kit.file("a.txt", numbers(10));

    assertThat(kit.call("read", "file_path", "a.txt", "offset", 11))
        .isEqualTo(ToolOutcome.error("offset: a.txt has only 10 lines, so there is no line 11"));
  }

  @Test
  void emptyFileIsReported() {
    kit.file("a.txt", "");

    assertThat(kit.call("read", "file_path", "a.txt"))
        .isEqualTo(ToolOutcome.ok("(a.txt is empty)"));
  }

  @Test
  void binaryFileIsDescribed() {
    kit.file("a.png", new byte[] {(byte) 0x89, 'P', 'N', 'G', 0, 1, 2});

    assertThat(kit.call("read", "file_path", "a.png").text())
        .isEqualTo("a.png is a binary file (PNG image, 7 bytes); its content is not shown.");
  }

  @Test
  void sparseFileOfOneTerabyteIsDescribed() throws IOException {
    try (var file = new RandomAccessFile(folder.resolve("huge").toFile(), "rw")) {
      file.setLength(1L << 40);
    }

    assertThat(kit.call("read", "file_path", "huge").text()).contains("1099511627776 bytes");
  }

  @Test
  void otherEncodingIsShownAsLatin1() {
    kit.file("a.txt", "grün".getBytes(StandardCharsets.ISO_8859_1));

    assertThat(kit.call("read", "file_path", "a.txt").text())
        .isEqualTo("     1\tgrün\n(The file is not UTF-8; it is shown as Latin-1.)");
  }

  @Test
  void utf16IsText() {
    kit.file("a.txt", "\uFEFFgrün\nrot".getBytes(StandardCharsets.UTF_16LE));
    kit.file("b.txt", "\uFEFFgrün".getBytes(StandardCharsets.UTF_16BE));

    assertThat(kit.call("read", "file_path", "a.txt").text())
        .isEqualTo("     1\tgrün\n     2\trot\n(The file is UTF-16.)");
    assertThat(kit.call("read", "file_path", "b.txt").text()).startsWith("     1\tgrün\n");
  }

  @ParameterizedTest
  @CsvSource({
    "89504e470d0a1a0a0000000d4948445200000280000001e0, 'PNG image'",
    "474946383961800240010000, 'GIF image'",
    "ffd8ffe000044a46ffc0001108012c0190000000, 'JPEG image'",
    "52494646000000005745425056503858000000000000000 07f02003f0100, 'WebP image'",
    "255044462d312e37, 'PDF document'",
    "cafebabe00000041, 'Java class'",
    "53514c69746520666f726d6174203300, 'SQLite database'",
    "0102030000, 'binary data'"
  })
  void kindOfABinaryFileIsNamed(String hex, String name) {
    kit.file("a", HexFormat.of().parseHex(hex.replace(" ", "")));

    assertThat(kit.call("read", "file_path", "a").text())
        .startsWith("a is a binary file (" + name + ", ");
  }

  @Test
  void svgIsText() {
    kit.file("a.svg", "<svg/>");

    assertThat(kit.call("read", "file_path", "a.svg").text()).isEqualTo("     1\t<svg/>");
  }

  @Test
  void similarNamesAreSuggestedForAMissingFile() {
    kit.file("src/Service.java", "");
    kit.file("src/service.kt", "");
    kit.file("src/Other.java", "");

    assertThat(kit.call("read", "file_path", "src/Servcie.java").text())
        .isEqualTo(
            "src/Servcie.java does not exist; did you mean src/Service.java, src/service.kt?");
  }

  @Test
  void byteOrderMarkIsRemoved() {
    kit.file("a.txt", "\uFEFFfirst\nsecond");

    assertThat(kit.call("read", "file_path", "a.txt").text())
        .isEqualTo("     1\tfirst\n     2\tsecond");
  }

  @Test
  void directoryIsAnErrorThatNamesList() {
    kit.file("src/a.txt", "");

    assertThat(kit.call("read", "file_path", "src"))
        .isEqualTo(ToolOutcome.error("src is a directory; use list to show its entries"));
  }

  @Test
  void missingFileIsAnError() {
    assertThat(kit.call("read", "file_path", "src/none.txt"))
        .isEqualTo(ToolOutcome.error("src/none.txt does not exist"));
  }

  private static String numbers(int count) {
    return IntStream.rangeClosed(1, count)
        .mapToObj(String::valueOf)
        .collect(Collectors.joining("\n", "", "\n"));
  }
}
