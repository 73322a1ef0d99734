package dev.errand.tool;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/**
 * Pieces of plain text of which a line must have at least one to match a regular expression. Most
 * files and lines have none, and looking for plain text is many times faster than matching.
 *
 * @param pieces ASCII, in lower case when case does not count; empty when anything may match
 */
record RequiredText(List<String> pieces, boolean ignoreCase) {

  RequiredText {
    pieces = List.copyOf(pieces);
  }

  static RequiredText of(String regex, boolean ignoreCase) {
    return new RequiredText(new RequiredPieces(regex, ignoreCase).found(), ignoreCase);
  }

  boolean mayBeIn(String line) {
    return pieces.isEmpty() || ignoreCase || pieces.stream().anyMatch(line::contains);
  }

  /** Whether it may be in a text whose ASCII characters are one byte each. */
  boolean mayBeIn(byte[] text) {
    if (pieces.isEmpty()) {
      return true;
    }
    for (var piece : pieces) {
      if (isIn(text, piece.getBytes(StandardCharsets.US_ASCII))) {
        return true;
      }
    }
    return false;
  }

  private boolean isIn(byte[] text, byte[] piece) {
    var first = piece[0];
    var other = ignoreCase ? (byte) Character.toUpperCase(first) : first;
    var last = text.length - piece.length;
    for (int at = 0; at <= last; at++) {
      if ((text[at] == first || text[at] == other) && isAt(text, at, piece)) {
        return true;
      }
    }
    return false;
  }

  private boolean isAt(byte[] text, int at, byte[] piece) {
    for (int i = 1; i < piece.length; i++) {
      var found = ignoreCase ? (byte) Character.toLowerCase(text[at + i]) : text[at + i];
      if (found != piece[i]) {
        return false;
      }
    }
    return true;
  }

  /** The lower case form under which a piece is kept. */
  static String folded(String piece, boolean ignoreCase) {
    return ignoreCase ? piece.toLowerCase(Locale.ROOT) : piece;
  }
}
