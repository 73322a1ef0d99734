package dev.errand.tool.file;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.mozilla.universalchardet.UniversalDetector;

/**
 * Recognises encodings of one or two bytes per character by the letters that the text would have. A
 * wrong guess damages no file: it decides how the text is shown, and which characters can be added.
 */
final class LegacyEncoding {

  private static final Charset WINDOWS_1252 = Charset.forName("windows-1252");
  private static final int LOOKED_AT = 64 << 10;

  private LegacyEncoding() {}

  /**
   * Returns the encoding, if it is not a Latin one.
   *
   * @param isWhole false if this is only the beginning, which may end within a character
   */
  static Optional<Charset> of(byte[] content, boolean isWhole) {
    var detected =
        detected(content).filter(charset -> TextEncoding.decodes(charset, content, isWhole));
    var words = ForeignWords.of(detected.map(found -> new String(content, found)).orElse(""));
    return detected
        .filter(charset -> isDoubleByte(charset) && words.areDoubleByte())
        .map(DoubleByteEncoding::wellKnown)
        .or(() -> DoubleByteEncoding.of(content, isWhole))
        .or(() -> SingleByteEncoding.of(content, detected, isWhole))
        .or(() ->
            detected.filter(other -> words.areNotLatin() && !SingleByteEncoding.knows(other)));
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
          .map(Charset::forName)
          .filter(Charset::canEncode);
    } catch (IllegalArgumentException unknown) {
      return Optional.empty();
    }
  }

  /**
   * Returns the encoding for all other content. Latin-1 has only control characters from 0x80 to
   * 0x9F, where windows-1252 has letters and punctuation.
   */
  static Charset western(byte[] content) {
    var isWindows = false;
    for (var octet : content) {
      isWindows |= octet < (byte) 0xA0;
    }
    return isWindows && TextEncoding.decodes(WINDOWS_1252, content, true)
        ? WINDOWS_1252
        : StandardCharsets.ISO_8859_1;
  }
}
