package dev.errand.tool.file;

import java.text.Normalizer;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The spellings of a name that some file system treats as the same: case, Unicode normalization,
 * characters without a glyph, dots and spaces at the end.
 */
final class Spelling {

  private static final Pattern INVISIBLE = Pattern.compile("\\p{Cf}");
  private static final Pattern END = Pattern.compile("(?<=[^. /])[. ]+(?=/|$)");

  private Spelling() {}

  /** Returns the same text for all spellings of a path. */
  static String folded(String path) {
    var plain = path.chars().allMatch(character -> character < 0x80) ? path : composed(path);
    return END.matcher(plain.toLowerCase(Locale.ROOT)).replaceAll("");
  }

  private static String composed(String path) {
    var visible = INVISIBLE.matcher(path).replaceAll("");
    var lower =
        Normalizer.normalize(visible, Normalizer.Form.NFD)
            .toUpperCase(Locale.ROOT)
            .toLowerCase(Locale.ROOT);
    return Normalizer.normalize(lower, Normalizer.Form.NFC);
  }
}
