package dev.errand.tool.file;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * Recognises UTF-16 without a byte order mark. Binary data must not be taken for it, so the text
 * has to consist of ordinary characters, nearly all of them of one alphabet.
 */
final class UnmarkedUtf16 {

  private static final int LOOKED_AT = 8_192;
  private static final int MIN_CHARS = 3;

  private UnmarkedUtf16() {}

  static Optional<Charset> of(byte[] content) {
    var even = nuls(content, 0);
    var odd = nuls(content, 1);
    if ((even == 0) == (odd == 0) || content.length % 2 != 0 || content.length < 2 * MIN_CHARS) {
      return Optional.empty();
    }
    var charset = odd > 0 ? StandardCharsets.UTF_16LE : StandardCharsets.UTF_16BE;
    var head = Arrays.copyOf(content, Math.min(content.length, LOOKED_AT));
    return isText(new String(head, charset), head.length < content.length)
        ? Optional.of(charset)
        : Optional.empty();
  }

  private static int nuls(byte[] content, int from) {
    var count = 0;
    for (int i = from; i < Math.min(content.length, LOOKED_AT); i += 2) {
      count += content[i] == 0 ? 1 : 0;
    }
    return count;
  }

  /**
   * @param isCut whether the last character may be half of one
   */
  private static boolean isText(String text, boolean isCut) {
    var pages = new int[256];
    for (int i = 0; i < text.length(); i++) {
      var character = text.charAt(i);
      if (!isOrdinary(character) && !(isCut && i == text.length() - 1)) {
        return false;
      }
      pages[character >> 8]++;
    }
    Arrays.sort(pages);
    return 4 * (pages[255] + pages[254]) >= 3 * text.length();
  }

  private static boolean isOrdinary(char character) {
    return Character.isISOControl(character)
        ? "\t\n\f\r".indexOf(character) >= 0
        : Character.isDefined(character) && character != '\uFFFD';
  }
}
