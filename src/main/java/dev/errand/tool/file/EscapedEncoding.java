package dev.errand.tool.file;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Recognises ISO-2022-JP, which writes Japanese with ASCII bytes after escape sequences. */
final class EscapedEncoding {

  private static final Charset JAPANESE = Charset.forName("ISO-2022-JP");
  private static final byte ESCAPE = 0x1B;

  private EscapedEncoding() {}

  static Optional<Charset> of(byte[] content) {
    for (var octet : content) {
      if (octet == ESCAPE) {
        return isJapanese(content) ? Optional.of(JAPANESE) : Optional.empty();
      }
    }
    return Optional.empty();
  }

  private static boolean isJapanese(byte[] content) {
    var text = new String(content, StandardCharsets.ISO_8859_1);
    return text.contains("\u001B$B")
        && text.contains("\u001B(")
        && TextEncoding.decodes(JAPANESE, content, true);
  }
}
