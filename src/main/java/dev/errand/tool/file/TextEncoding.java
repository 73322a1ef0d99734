package dev.errand.tool.file;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/** The character encoding of a text file. */
public enum TextEncoding {
  UTF_8(StandardCharsets.UTF_8, ""),
  UTF_16_LITTLE_ENDIAN(StandardCharsets.UTF_16LE, "\n(The file is UTF-16.)"),
  UTF_16_BIG_ENDIAN(StandardCharsets.UTF_16BE, "\n(The file is UTF-16.)"),
  /** The fallback: every byte is one character, which is correct for most legacy files. */
  LATIN_1(StandardCharsets.ISO_8859_1, "\n(The file is not UTF-8; it is shown as Latin-1.)");

  private static final int PIECE_CHARS = 8_192;

  private final Charset charset;
  private final String remark;

  TextEncoding(Charset charset, String remark) {
    this.charset = charset;
    this.remark = remark;
  }

  /**
   * Detects the encoding from the content.
   *
   * @param isWhole false if this is only the beginning, which may end within a character
   */
  public static TextEncoding of(byte[] content, boolean isWhole) {
    if (startsWith(content, 0xFF, 0xFE)) {
      return UTF_16_LITTLE_ENDIAN;
    }
    if (startsWith(content, 0xFE, 0xFF)) {
      return UTF_16_BIG_ENDIAN;
    }
    return isUtf8(content, isWhole) ? UTF_8 : LATIN_1;
  }

  /** Whether the content starts with a UTF-16 byte order mark. */
  public static boolean isUtf16(byte[] content) {
    return startsWith(content, 0xFF, 0xFE) || startsWith(content, 0xFE, 0xFF);
  }

  public Charset charset() {
    return charset;
  }

  /** Returns a line to append to a result; empty for UTF-8. */
  String remark() {
    return remark;
  }

  private static boolean startsWith(byte[] content, int first, int second) {
    return content.length >= 2 && content[0] == (byte) first && content[1] == (byte) second;
  }

  private static boolean isUtf8(byte[] content, boolean isWhole) {
    var decoder = StandardCharsets.UTF_8.newDecoder();
    var bytes = ByteBuffer.wrap(content);
    var piece = CharBuffer.allocate(Math.min(PIECE_CHARS, content.length + 1));
    var result = decoder.decode(bytes, piece, isWhole);
    while (result.isOverflow()) {
      result = decoder.decode(bytes, piece.clear(), isWhole);
    }
    return !result.isError();
  }
}
