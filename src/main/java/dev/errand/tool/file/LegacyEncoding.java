package dev.errand.tool.file;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.mozilla.universalchardet.UniversalDetector;

/**
 * Recognises encodings of one or two bytes per character by the letters that the text would have. A
 * guess only decides how the text is shown; what is not recognised is Latin-1 or windows-1252, in
 * which every byte is one character.
 */
final class LegacyEncoding {

  private static final Charset WINDOWS_1252 = Charset.forName("windows-1252");
  private static final int LOOKED_AT = 64 << 10;

  private LegacyEncoding() {}

  /**
   * @param isWhole false if this is only the beginning, which may end within a character
   */
  static Charset of(byte[] content, boolean isWhole) {
    var detected =
        detected(content).filter(charset -> TextEncoding.decodes(charset, content, isWhole));
    var text = detected.map(charset -> new String(content, charset)).orElse("");
    if (detected.isPresent() && isDoubleByte(detected.get()) && Letters.of(text).areDoubleByte()) {
      return DoubleByteEncoding.wellKnown(detected.get());
    }
    return DoubleByteEncoding.of(content, isWhole)
        .or(() -> detected.filter(_ -> Letters.of(text).areNotLatin()))
        .orElseGet(() -> western(content));
  }

  private static boolean isDoubleByte(Charset charset) {
    return charset.newDecoder().averageCharsPerByte() < 1;
  }

  private static Optional<Charset> detected(byte[] content) {
    var from = 0;
    while (from < content.length && content[from] >= 0) {
      from++;
    }
    var detector = new UniversalDetector();
    detector.handleData(content, from, Math.min(LOOKED_AT, content.length - from));
    detector.dataEnd();
    try {
      return Optional.ofNullable(detector.getDetectedCharset())
          .filter(name -> !name.startsWith("UTF-"))
          .map(Charset::forName);
    } catch (IllegalArgumentException unknown) {
      return Optional.empty();
    }
  }

  /** Latin-1 has only control characters from 0x80 to 0x9F; windows-1252 has most of them. */
  private static Charset western(byte[] content) {
    var isWindows = false;
    for (var octet : content) {
      isWindows |= octet < (byte) 0xA0;
    }
    return isWindows && TextEncoding.decodes(WINDOWS_1252, content, true)
        ? WINDOWS_1252
        : StandardCharsets.ISO_8859_1;
  }

  /**
   * The words of a text that are not ASCII.
   *
   * @param words the number of sequences of letters beyond ASCII
   * @param joined those next to an ASCII letter, as in Latin words
   * @param single those that have only one letter
   * @param strange words with a capital after a small letter, and characters that texts do not have
   */
  private record Letters(int words, int joined, int single, int strange) {

    static Letters of(String text) {
      int words = 0;
      int joined = 0;
      int single = 0;
      int strange = 0;
      for (int at = 0; at < text.length(); at++) {
        var start = at;
        while (at < text.length() && isLetter(text.charAt(at))) {
          strange += at > start && isCapitalAfterSmall(text, at) ? 1 : 0;
          at++;
        }
        if (at > start) {
          words++;
          joined += isAscii(text, start - 1) || isAscii(text, at) ? 1 : 0;
          single += at - start == 1 ? 1 : 0;
        }
        strange += at < text.length() && isStrange(text.charAt(at)) ? 1 : 0;
      }
      return new Letters(words, joined, single, strange);
    }

    boolean areNotLatin() {
      return 2 * joined < words && 4 * strange <= words;
    }

    boolean areDoubleByte() {
      return words > 0 && 2 * single <= words && 4 * strange <= words;
    }

    private static boolean isLetter(char character) {
      return character > 0x7F
          && (Character.isLetter(character)
              || Character.getType(character) == Character.NON_SPACING_MARK);
    }

    private static boolean isAscii(String text, int at) {
      return at >= 0
          && at < text.length()
          && text.charAt(at) < 0x80
          && Character.isLetter(text.charAt(at));
    }

    private static boolean isCapitalAfterSmall(String text, int at) {
      return Character.isUpperCase(text.charAt(at)) && Character.isLowerCase(text.charAt(at - 1));
    }

    /** Control characters, characters for own use, and frames of terminals. */
    private static boolean isStrange(char character) {
      return character > 0x7F
          && (!Character.isDefined(character)
              || Character.isISOControl(character)
              || Character.getType(character) == Character.PRIVATE_USE
              || Character.UnicodeBlock.of(character) == Character.UnicodeBlock.BOX_DRAWING);
    }
  }
}
