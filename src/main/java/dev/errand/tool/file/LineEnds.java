package dev.errand.tool.file;

/**
 * The line ends of a text: how often each kind occurs.
 *
 * @param lf line feeds, as in Unix
 * @param crlf carriage return and line feed, as in Windows
 * @param cr carriage returns without line feeds, as in old Macintosh files
 */
record LineEnds(int lf, int crlf, int cr) {

  static LineEnds of(String text) {
    int lf = 0;
    int crlf = 0;
    int cr = 0;
    for (int at = 0; at < text.length(); at++) {
      switch (text.charAt(at)) {
        case '\n' -> lf++;
        case '\r' -> {
          if (text.startsWith("\n", at + 1)) {
            crlf++;
            at++;
          } else {
            cr++;
          }
        }
        default -> {}
      }
    }
    return new LineEnds(lf, crlf, cr);
  }

  /** Returns the text with a line feed at the end of each line. */
  static String lineFeeds(String text) {
    return text.indexOf('\r') < 0 ? text : text.replace("\r\n", "\n").replace('\r', '\n');
  }

  boolean isEmpty() {
    return lf + crlf + cr == 0;
  }

  boolean areMixed() {
    return most() < lf + crlf + cr;
  }

  /** Returns the line end that most lines have; a line feed if there are no lines. */
  String usual() {
    if (crlf == most() && crlf > lf) {
      return "\r\n";
    }
    return cr == most() && cr > lf ? "\r" : "\n";
  }

  /** Returns the name of the usual line end. */
  String name() {
    return switch (usual()) {
      case "\r\n" -> "CRLF";
      case "\r" -> "CR";
      default -> "LF";
    };
  }

  private int most() {
    return Math.max(lf, Math.max(crlf, cr));
  }
}
