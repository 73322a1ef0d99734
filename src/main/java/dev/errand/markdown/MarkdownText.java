package dev.errand.markdown;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Reads a file as text of limited size, with {@code \n} as line end, in UTF-8 or UTF-16. */
public final class MarkdownText {

  public static final int MAX_BYTES = 256 * 1024;

  /** More than a comment above the front matter needs. */
  private static final int BEGINNING = 8 * 1024;

  private MarkdownText() {}

  /**
   * @param file the name of the file in messages
   * @throws BrokenFile the file is not such a text
   */
  public static String read(String file, Path path) {
    try {
      if (Files.size(path) > MAX_BYTES) {
        throw tooLarge(file);
      }
      return decoded(file, Files.readAllBytes(path));
    } catch (IOException fault) {
      throw new BrokenFile(file, 1, "cannot be read");
    }
  }

  /**
   * Reads the beginning of a file of any size and encoding, with other characters in place of those
   * that are not ASCII.
   *
   * @throws BrokenFile the file cannot be read
   */
  public static String beginning(String file, Path path) {
    try (var in = Files.newInputStream(path)) {
      var bytes = in.readNBytes(BEGINNING);
      var utf16 = utf16(bytes);
      return plain(new String(bytes, utf16 == null ? StandardCharsets.ISO_8859_1 : utf16))
          .replaceFirst("^ï»¿", "");
    } catch (IOException fault) {
      throw new BrokenFile(file, 1, "cannot be read");
    }
  }

  /** Returns the error for a file that is larger than {@link #MAX_BYTES}. */
  public static BrokenFile tooLarge(String file) {
    return new BrokenFile(
        file, 1, "is too large: it may have at most " + MAX_BYTES / 1024 + " KiB");
  }

  /**
   * Decodes the content of a file.
   *
   * @throws BrokenFile the content has another encoding
   */
  public static String decoded(String file, byte[] bytes) {
    var utf16 = utf16(bytes);
    var decoder = (utf16 == null ? StandardCharsets.UTF_8 : utf16).newDecoder();
    var in = ByteBuffer.wrap(bytes);
    var text = CharBuffer.allocate(bytes.length);
    var result = decoder.decode(in, text, true);
    if (result.isError()) {
      throw new BrokenFile(
          file, 1 + newlines(bytes, in.position()), "is not UTF-8; save it with that encoding");
    }
    return plain(text.flip().toString());
  }

  private static String plain(String text) {
    return text.replaceFirst("^\uFEFF", "").replace("\r\n", "\n").replace('\r', '\n');
  }

  /**
   * Recognises UTF-16 by its byte order mark, or by a first character that is ASCII; returns null
   * otherwise.
   */
  private static @Nullable Charset utf16(byte[] bytes) {
    var first = bytes.length < 2 ? 0 : (bytes[0] & 0xFF) << 8 | bytes[1] & 0xFF;
    if (first == 0xFEFF || (first > 0 && first < 0x80)) {
      return StandardCharsets.UTF_16BE;
    }
    return first == 0xFFFE || (first > 0 && first % 0x100 == 0) ? StandardCharsets.UTF_16LE : null;
  }

  private static int newlines(byte[] bytes, int end) {
    return (int) IntStream.range(0, end).filter(at -> bytes[at] == '\n').count();
  }
}
