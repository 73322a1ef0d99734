package dev.errand.markdown;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;

/** Reads a file as text: UTF-8, of limited size, with {@code \n} as line end. */
public final class MarkdownText {

  public static final int MAX_BYTES = 256 * 1024;

  private MarkdownText() {}

  /**
   * @throws BrokenFile the file is not such a text
   */
  public static String read(Path path) {
    var file = path.getFileName().toString();
    try {
      if (Files.size(path) > MAX_BYTES) {
        throw tooLarge(file);
      }
      return decoded(file, Files.readAllBytes(path));
    } catch (IOException fault) {
      throw new BrokenFile(file, 1, "cannot be read");
    }
  }

  /** The error for a file that is larger than {@link #MAX_BYTES}. */
  public static BrokenFile tooLarge(String file) {
    return new BrokenFile(
        file, 1, "is too large: it may have at most " + MAX_BYTES / 1024 + " KiB");
  }

  /**
   * Decodes the content of a file.
   *
   * @throws BrokenFile the content is not UTF-8
   */
  public static String decoded(String file, byte[] bytes) {
    var decoder = StandardCharsets.UTF_8.newDecoder();
    var in = ByteBuffer.wrap(bytes);
    var text = CharBuffer.allocate(bytes.length);
    if (decoder.decode(in, text, true).isError()) {
      throw new BrokenFile(
          file, 1 + newlines(bytes, in.position()), "is not UTF-8; save it with that encoding");
    }
    return text.flip()
        .toString()
        .replaceFirst("^\uFEFF", "")
        .replace("\r\n", "\n")
        .replace('\r', '\n');
  }

  private static int newlines(byte[] bytes, int end) {
    return (int) IntStream.range(0, end).filter(at -> bytes[at] == '\n').count();
  }
}
