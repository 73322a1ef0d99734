package dev.errand.tool.file;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.tool.ToolOutcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Existing files keep their encoding, byte order mark and line ends. */
class FileFormTest {

  @TempDir Path folder;
  private WorkspaceKit kit;

  @BeforeEach
  void workspace() {
    kit = new WorkspaceKit(folder);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "UTF-8+BOM | a;b\\r\\nc;d\\r\\n | a;e\\nc;f\\n | a;e\\r\\nc;f\\r\\n",
        "UTF-8+BOM | a\\n | é\\n | é\\n",
        "UTF-8 | a\\r\\nb\\r\\n | a\\nb\\nc\\n | a\\r\\nb\\r\\nc\\r\\n",
        "UTF-8 | a\\r\\nb\\r\\n | a\\r\\nc\\r\\n | a\\r\\nc\\r\\n",
        "UTF-8 | a\\r\\nb | a\\r\\nc\\nd | a\\r\\nc\\r\\nd",
        "UTF-8 | a\\nb\\n | a\\r\\nc\\r\\n | a\\nc\\n",
        "UTF-8 | a\\rb\\r | c\\nd\\n | c\\rd\\r",
        "UTF-8 | a\\r\\nb\\r\\nc\\n | x\\ny\\n | x\\r\\ny\\r\\n",
        "UTF-8 | a\\nb\\nc\\r\\n | x\\ny\\n | x\\ny\\n",
        "UTF-8 | a | x\\r\\ny\\n | x\\r\\ny\\n",
        "UTF-8 | a\\n | → 😀\\n | → 😀\\n",
        "UTF-8 | é\\n | a\\nb | a\\nb",
        "UTF-16LE+BOM | a\\r\\nb\\r\\n | ü\\n→\\n | ü\\r\\n→\\r\\n",
        "UTF-16BE+BOM | a\\n | 日本\\n | 日本\\n",
        "UTF-16LE | some text\\r\\n | other täxt\\n | other täxt\\r\\n",
        "UTF-16BE | some text\\n | 日\\n | 日\\n",
        "UTF-16LE | Привет, мир\\n | Пока\\n | Пока\\n",
        "ISO-8859-1 | int x = 1; // café\\n | int y; // thé\\n | int y; // thé\\n",
        "ISO-8859-1 | Größe Straße über ähnlich\\n | süß\\n | süß\\n",
        "ISO-8859-1 | ÄÖÜßäöü\\n | ß\\n | ß\\n",
        "ISO-8859-1 | ação não coração\\r\\n | ção\\n | ção\\r\\n",
        "ISO-8859-1 | 10 °C ± 2 µm\\n | 5 °C\\n | 5 °C\\n",
        "windows-1252 | “5 €” – it’s\\r\\n | “6 €”\\n | “6 €”\\r\\n",
        "windows-1251 | // Привет, мир\\nint x;\\n | // Пока\\n | // Пока\\n",
        "windows-1251 | Файл не найден: file.txt\\n | Файл\\n | Файл\\n",
        "windows-1251 | Ошибка: не удалось открыть файл\\n | Ошибка\\n | Ошибка\\n",
        "windows-1251 | ПРИВЕТ МИР\\n | МИР\\n | МИР\\n",
        "KOI8-R | ПРИВЕТ МИР\\n | мир\\n | мир\\n",
        "ISO-8859-1 | ÅÄÖ åäö\\n | ö\\n | ö\\n",
        "ISO-8859-1 | áéíóú ÁÉÍÓÚ ñÑ\\n | ñ\\n | ñ\\n",
        "windows-1252 | Réf. n° 12 — à voir… Réf. n° 13 — là\\n | — à\\n | — à\\n",
        "KOI8-R | Привет, как дела? Это тест.\\n | Пока\\n | Пока\\n",
        "IBM866 | Привет, как дела? Это тест.\\r\\n | Пока\\n | Пока\\r\\n",
        "ISO-8859-7 | Καλημέρα κόσμε, αυτό είναι\\n | κόσμε\\n | κόσμε\\n",
        "windows-1255 | שלום עולם\\n | עולם\\n | עולם\\n",
        "TIS-620 | สวัสดีชาวโลก\\n | ชาวโลก\\n | ชาวโลก\\n",
        "Shift_JIS | // 設定ファイルを読み込む\\r\\nint x;\\r\\n | // 世界\\n | // 世界\\r\\n",
        "Shift_JIS | テスト\\n | 日本\\n | 日本\\n",
        "Shift_JIS | x = 1 # 日本\\n | # 世界\\n | # 世界\\n",
        "EUC-JP | // 設定ファイルを読み込む\\nint x;\\n | // 世界\\n | // 世界\\n",
        "GBK | // 读取配置文件\\r\\nint x;\\r\\n | // 你好\\n | // 你好\\r\\n",
        "GBK | 你好，世界\\n | 中文\\n | 中文\\n",
        "Big5 | // 讀取設定檔案\\nint x;\\n | // 中文\\n | // 中文\\n",
        "EUC-KR | // 설정 파일을 읽는다\\nint x;\\n | // 한국어\\n | // 한국어\\n",
        "EUC-KR | 한국어\\n | 설정\\n | 설정\\n",
        "ISO-2022-JP | こんにちは世界\\n | 日本\\n | 日本\\n",
      })
  void writeKeepsTheForm(String encoding, String before, String content, String after) {
    kit.file("a.txt", bytes(encoding, before));

    var written = write(content.translateEscapes());

    assertThat(written.isError()).as(written.text()).isFalse();
    assertThat(content()).isEqualTo(latin1(bytes(encoding, after)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "UTF-8+BOM | a;b\\r\\nc;d\\r\\n | a;b\\nc | a;b\\nx\\nc | a;b\\r\\nx\\r\\nc;d\\r\\n",
        "UTF-8+BOM | one\\n | one | 1 | 1\\n",
        "UTF-8 | a\\r\\nb\\r\\nc | b\\nc | x | a\\r\\nx",
        "UTF-8 | a\\r\\nb\\r\\nc\\r\\n | b\\r\\nc | x\\ny | a\\r\\nx\\r\\ny\\r\\n",
        "UTF-8 | a\\nb\\nc\\n | b\\r\\nc | x\\r\\ny | a\\nx\\ny\\n",
        "UTF-8 | a\\rb\\rc\\r | a\\nb | x\\ny\\nz | x\\ry\\rz\\rc\\r",
        "UTF-8 | a\\nb\\r\\nc\\nd\\r\\n | b\\nc | b\\nx\\nc | a\\nb\\r\\nx\\r\\nc\\nd\\r\\n",
        "UTF-8 | a\\nb\\r\\nc\\nd\\r\\n | \\nb\\n | \\nx\\n | a\\nx\\r\\nc\\nd\\r\\n",
        "UTF-8 | a\\r\\nb\\nc\\r\\nd\\n | c | 1\\n2 | a\\r\\nb\\n1\\r\\n2\\r\\nd\\n",
        "UTF-8 | a\\r\\nb\\nc | c | 1\\n2 | a\\r\\nb\\n1\\n2",
        "UTF-8 | a\\rb\\nc\\r\\nd | a\\nb\\nc | a\\nx\\nc | a\\rx\\nc\\r\\nd",
        "UTF-8 | a\\r\\nb\\nc\\n | a\\r\\nb | a\\nb | a\\nb\\nc\\n",
        "UTF-16LE+BOM | grün\\r\\nrot\\r\\n | grün\\nrot | gelb → | gelb →\\r\\n",
        "UTF-16BE+BOM | a\\nb\\n | b | 日本 | a\\n日本\\n",
        "UTF-16LE | some text\\r\\nmore\\r\\n | text\\nmore | ü | some ü\\r\\n",
        "ISO-8859-1 | int x = 1; // café\\n | x = 1 | y = 2 | int y = 2; // café\\n",
        "ISO-8859-1 | int x = 1; // café\\n | café | thé | int x = 1; // thé\\n",
        "ISO-8859-1 | \u0081\u008D grün\\n | grün | rötlich | \u0081\u008D rötlich\\n",
        "windows-1252 | “5 €”\\r\\n- it’s\\r\\n | 5 €”\\n- | 6 €”\\n– | “6 €”\\r\\n– it’s\\r\\n",
        "windows-1251 | // Привет, мир\\nint x;\\n | мир | город | // Привет, город\\nint x;\\n",
        "Shift_JIS | // 設定ファイル\\nint x = \"表\";\\n | 表 | ソ | // 設定ファイル\\nint x = \"ソ\";\\n",
        "GBK | // 读取配置文件\\nint x;\\n | 配置 | 输入 | // 读取输入文件\\nint x;\\n",
        "EUC-KR | // 설정 파일을 읽는다\\n | 파일 | 값 | // 설정 값을 읽는다\\n",
      })
  void editChangesOnlyWhatIsReplaced(
      String encoding, String before, String old, String replacement, String after) {
    kit.file("a.txt", bytes(encoding, before));

    var edited = edit(old.translateEscapes(), replacement.translateEscapes());

    assertThat(edited).isEqualTo(ToolOutcome.ok("Edited a.txt."));
    assertThat(content()).isEqualTo(latin1(bytes(encoding, after)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ISO-8859-1 | café\\n | tea → | → (U+2192), which the encoding of a.txt, Latin-1, does not",
        "ISO-8859-1 | café\\n | 5 € | € (U+20AC), which the encoding of a.txt, Latin-1, does not",
        "windows-1252 | 5 €\\n | 日本 | 日 (U+65E5), which the encoding of a.txt, windows-1252, does",
        "windows-1251 | Привет, мир\\n | é | é (U+00E9), which the encoding of a.txt, windows-1251,",
        "Shift_JIS | 設定ファイル\\n | 😀 | 😀 (U+1F600), which the encoding of a.txt, Shift_JIS,",
        "UTF-8 | a\\n | \uD83D | U+D83D, which is half a character; write the whole character",
      })
  void characterThatTheEncodingDoesNotHaveIsRefused(
      String encoding, String before, String text, String reason) {
    kit.file("a.txt", bytes(encoding, before));

    var written = write(text);
    var edited = edit(before.substring(0, 1), text);

    assertThat(written.isError()).isTrue();
    assertThat(written.text()).startsWith("content: contains " + reason);
    assertThat(edited.isError()).isTrue();
    assertThat(edited.text()).startsWith("new_string: contains " + reason);
    assertThat(content()).isEqualTo(latin1(bytes(encoding, before)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "UTF-8+BOM | a\\r\\n | b\\n | Kept: UTF-8 with a byte order mark, CRLF line ends.",
        "UTF-8 | a\\n | b\\r\\n | Kept: LF line ends.",
        "UTF-8 | a\\r\\nb\\n | c\\n | Its line ends were mixed; all are LF now.",
        "ISO-8859-1 | café\\n | thé\\n | Kept: Latin-1.",
        "UTF-16LE+BOM | a\\r\\n | b\\n | Kept: UTF-16, CRLF line ends.",
        "ISO-8859-1 | é: Ã©Ã¨Ãª\\n | b\\n | Bytes that were not valid UTF-8 are gone.",
        "ISO-8859-1 | \\0\\001\\002x | b\\n | It was binary data and is UTF-8 text now.",
      })
  void resultSaysWhatWasKeptAndWhatWasNot(
      String encoding, String before, String content, String remark) {
    kit.file("a.txt", bytes(encoding, before));

    assertThat(write(content.translateEscapes()).text()).endsWith("bytes). " + remark);
  }

  @Test
  void bytesThatAreNotUtf8StayInAFileThatIs() {
    var before = latin1("grün für alle\nodd: ".getBytes(UTF_8)) + "\u00FF\u0080\nend\r\n";
    kit.file("a.txt", before.getBytes(ISO_8859_1));

    assertThat(kit.call("read", "file_path", "a.txt").text())
        .contains("grün für alle\n")
        .endsWith("(Bytes that are not valid UTF-8 are shown as \uFFFD; edit keeps them.)");
    assertThat(edit("für alle", "für → mich")).isEqualTo(ToolOutcome.ok("Edited a.txt."));
    assertThat(content()).isEqualTo(before.replace("r alle", latin1("r → mich".getBytes(UTF_8))));
    assertThat(edit("odd: \uFFFD", "x").text())
        .isEqualTo(
            "old_string: was not found. It contains \uFFFD, which read shows for bytes that are not text: leave them out.");
    assertThat(write("grün\nodd: \uFFFD\n").text())
        .startsWith("content: contains \uFFFD, which read shows for bytes of a.txt");
  }

  @Test
  void textThatCannotBeWrittenBackExactlyIsNotEdited() {
    var halfACharacter = new byte[] {(byte) 0xFF, (byte) 0xFE, 'a', 0, 0, (byte) 0xD8, 'b', 0};
    kit.file("a.txt", halfACharacter);

    assertThat(edit("a", "x").text()).startsWith("a.txt has bytes that UTF-16 does not express");
    assertThat(content()).isEqualTo(latin1(halfACharacter));
  }

  @ParameterizedTest
  @CsvSource({
    "89504e470d0a1a0a0000000d49484452, PNG image",
    "6100620001000200, binary data",
    "61620063, binary data",
    "0100000002000000, binary data",
    "255044462d312e37, PDF document",
  })
  void binaryFileIsNotEdited(String hex, String kind) {
    var bytes = HexFormat.of().parseHex(hex);
    kit.file("a.txt", bytes);

    assertThat(edit("a", "x").text())
        .isEqualTo("a.txt is a binary file (%s) and cannot be edited".formatted(kind));
    assertThat(kit.call("grep", "pattern", "a|b|P").text()).isEqualTo("No matches.");
    assertThat(content()).isEqualTo(latin1(bytes));
  }

  @ParameterizedTest
  @CsvSource({
    "ISO-8859-1, eine Prüfung, Latin-1",
    "UTF-16LE, eine Prüfung, UTF-16",
    "UTF-16BE+BOM, eine Prüfung, UTF-16",
    "windows-1252, “Prüfung”, windows-1252",
    "windows-1251, Привет мир, windows-1251",
    "Shift_JIS, 設定ファイル, Shift_JIS",
    "GBK, 读取配置文件, GBK",
    "Big5, 讀取設定檔案, Big5",
    "EUC-KR, 설정 파일을 읽는다, EUC-KR",
    "EUC-JP, 設定ファイルを読み込む, EUC-JP",
  })
  void readAndGrepShowTheText(String encoding, String text, String name) {
    kit.file("a.txt", bytes(encoding, "first\\r\\n" + text + "\\r\\n"));

    assertThat(kit.call("read", "file_path", "a.txt").text())
        .startsWith("     1\tfirst\n     2\t" + text + "\n")
        .containsIgnoringCase(name);
    assertThat(kit.call("grep", "pattern", text, "output_mode", "content").text())
        .isEqualTo("a.txt:2:" + text);
  }

  @Test
  void everyLineEndIsOneInReadAndGrep() {
    kit.file("a.txt", "one\rtwo\r\nthree\n\rfive");

    assertThat(kit.call("read", "file_path", "a.txt").text())
        .isEqualTo("     1\tone\n     2\ttwo\n     3\tthree\n     4\t\n     5\tfive");
    assertThat(kit.call("grep", "pattern", "^five$", "output_mode", "content").text())
        .isEqualTo("a.txt:5:five");
  }

  private ToolOutcome.Done write(String content) {
    kit.call("read", "file_path", "a.txt");
    return kit.call("write", "file_path", "a.txt", "content", content);
  }

  private ToolOutcome.Done edit(String old, String replacement) {
    kit.call("read", "file_path", "a.txt");
    return kit.call("edit", "file_path", "a.txt", "old_string", old, "new_string", replacement);
  }

  private String content() {
    try {
      return latin1(Files.readAllBytes(folder.resolve("a.txt")));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /** Bytes that a failed assertion can show. */
  private static String latin1(byte[] bytes) {
    return new String(bytes, ISO_8859_1);
  }

  private static byte[] bytes(String encoding, String text) {
    var mark = encoding.endsWith("+BOM") ? "\uFEFF" : "";
    var charset = Charset.forName(encoding.replace("+BOM", ""));
    return (mark + text.translateEscapes()).getBytes(charset);
  }
}
