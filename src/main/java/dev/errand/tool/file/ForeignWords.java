package dev.errand.tool.file;

/**
 * The words of a text that are not ASCII.
 *
 * @param words the number of sequences of letters beyond ASCII
 * @param joined those next to an ASCII letter, as in Latin words
 * @param single those that have only one letter
 * @param strange words with a capital after a small letter, and characters that texts do not have
 */
record ForeignWords(int words, int joined, int single, int strange) {

  static ForeignWords of(String text) {
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
    return new ForeignWords(words, joined, single, strange);
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

  /**
   * Returns whether this is a control character, a character for own use, or a frame of terminals.
   */
  private static boolean isStrange(char character) {
    return character > 0x7F
        && (!Character.isDefined(character)
            || Character.isISOControl(character)
            || Character.getType(character) == Character.PRIVATE_USE
            || Character.UnicodeBlock.of(character) == Character.UnicodeBlock.BOX_DRAWING);
  }
}
