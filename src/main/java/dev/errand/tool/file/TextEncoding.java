package dev.errand.tool.file;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * The character encoding of a text file.
 *
 * @param isMarked the file starts with a byte order mark
 * @param isDamaged the file is UTF-8 except for some bytes
 */
public record TextEncoding(Charset charset, boolean isMarked, boolean isDamaged) {

  /** The encoding of new files. */
  static final TextEncoding UTF_8 = new TextEncoding(StandardCharsets.UTF_8, false, false);

  private static final String BYTE_ORDER_MARK = "\uFEFF";
  private static final int PIECE_CHARS = 8_192;

  /**
   * Detects the encoding from the content.
   *
   * @param isWhole false if this is only the beginning, which may end within a character
   */
  public static TextEncoding of(byte[] content, boolean isWhole) {
    if (startsWith(content, 0xEF, 0xBB, 0xBF)) {
      return new TextEncoding(
          StandardCharsets.UTF_8, true, !decodes(StandardCharsets.UTF_8, content, isWhole));
    }
    var utf16 = utf16(content);
    if (utf16.isPresent()) {
      return utf16.get();
    }
    if (decodes(StandardCharsets.UTF_8, content, isWhole)) {
      return EscapedEncoding.of(content).map(TextEncoding::plain).orElse(UTF_8);
    }
    var valid = validShare(content);
    if (valid <= 0.5) {
      var legacy = LegacyEncoding.of(content, isWhole);
      if (legacy.isPresent() || valid < 0.5) {
        return plain(legacy.orElseGet(() -> LegacyEncoding.western(content)));
      }
    }
    return new TextEncoding(StandardCharsets.UTF_8, false, true);
  }

  /** Returns whether the content is UTF-16, with a byte order mark or without. */
  public static boolean isUtf16(byte[] content) {
    return utf16(content).isPresent();
  }

  /** Returns whether the charset can decode every byte. */
  static boolean decodes(Charset charset, byte[] content, boolean isWhole) {
    var decoder = charset.newDecoder();
    var bytes = ByteBuffer.wrap(content);
    var piece = CharBuffer.allocate(Math.min(PIECE_CHARS, content.length + 2));
    var result = decoder.decode(bytes, piece, isWhole);
    while (result.isOverflow()) {
      result = decoder.decode(bytes, piece.clear(), isWhole);
    }
    return !result.isError();
  }

  /** Returns the text without the byte order mark; bytes that are not text become U+FFFD. */
  String decode(byte[] content) {
    var text = new String(content, charset);
    return isMarked ? text.substring(1) : text;
  }

  /** Returns the text if writing it back would give exactly this content. */
  Optional<String> decodeExactly(byte[] content) {
    var text = decode(content);
    return encode(text).filter(bytes -> Arrays.equals(bytes, content)).map(_ -> text);
  }

  /** Returns the content of a file; empty if the encoding does not have all the characters. */
  Optional<byte[]> encode(String text) {
    try {
      var marked = isMarked ? BYTE_ORDER_MARK + text : text;
      var bytes =
          charset
              .newEncoder()
              .onUnmappableCharacter(CodingErrorAction.REPORT)
              .encode(CharBuffer.wrap(marked));
      return Optional.of(Arrays.copyOf(bytes.array(), bytes.limit()));
    } catch (CharacterCodingException missing) {
      return Optional.empty();
    }
  }

  /** Returns a line to append to what is shown of the file; empty for UTF-8. */
  String remark() {
    if (isDamaged) {
      return "\n(Bytes that are not valid UTF-8 are shown as \uFFFD; edit keeps them.)";
    }
    if (charset.equals(StandardCharsets.UTF_8)) {
      return "";
    }
    return charset.name().startsWith("UTF-16")
        ? "\n(The file is UTF-16.)"
        : "\n(The file is not UTF-8; it is shown as %s.)".formatted(name());
  }

  /** Returns the name for the model. */
  String name() {
    var name =
        switch (charset.name()) {
          case "ISO-8859-1" -> "Latin-1";
          case "UTF-16LE", "UTF-16BE" -> "UTF-16";
          case "windows-31j" -> "Shift_JIS";
          default -> charset.name();
        };
    return isMarked && charset.equals(StandardCharsets.UTF_8)
        ? name + " with a byte order mark"
        : name;
  }

  private static TextEncoding plain(Charset charset) {
    return new TextEncoding(charset, false, false);
  }

  private static Optional<TextEncoding> utf16(byte[] content) {
    if (startsWith(content, 0xFF, 0xFE)) {
      return Optional.of(new TextEncoding(StandardCharsets.UTF_16LE, true, false));
    }
    if (startsWith(content, 0xFE, 0xFF)) {
      return Optional.of(new TextEncoding(StandardCharsets.UTF_16BE, true, false));
    }
    return UnmarkedUtf16.of(content).map(TextEncoding::plain);
  }

  private static boolean startsWith(byte[] content, int... start) {
    for (int i = 0; i < start.length; i++) {
      if (content.length <= i || content[i] != (byte) start[i]) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns which share of what is not ASCII is valid UTF-8. It is small in other encodings, and
   * large in a file that is UTF-8 except for some bytes.
   */
  private static double validShare(byte[] content) {
    var text = new String(content, StandardCharsets.UTF_8);
    var beyondAscii = text.chars().filter(character -> character > 0x7F).count();
    var invalid = text.chars().filter(character -> character == '\uFFFD').count();
    return (double) (beyondAscii - invalid) / beyondAscii;
  }
}
