package dev.errand.tool.search;

import dev.errand.tool.ToolFailure;

/**
 * A regular expression for lines as models write it for ripgrep, in the syntax of the engine.
 *
 * @param ascii the expression; {@code \<} and {@code \>} are {@code \b}
 * @param unicode the same, in which letters of all alphabets belong to words
 * @param mayMeanLines whether it seems to be about several lines, of which none is ever matched
 */
record LineRegex(String ascii, String unicode, boolean mayMeanLines) {

  private static final String WORD = "\\p{L}\\p{M}\\p{N}_";
  private static final String MULTILINE =
      "(?s).*(\\(\\?\\w*s\\w*[:)]|\\[\\\\s\\\\S|\\[\\\\S\\\\s|\\[\\\\d\\\\D|\\[\\\\w\\\\W).*";

  /**
   * @throws ToolFailure the expression contains a line end
   */
  static LineRegex of(String regex) {
    var translation = new LineTranslation(regex);
    translation.run();
    return new LineRegex(
        translation.ascii.toString(), translation.unicode.toString(), regex.matches(MULTILINE));
  }

  private static final class LineTranslation {

    private final String regex;
    private final StringBuilder ascii = new StringBuilder();
    private final StringBuilder unicode = new StringBuilder();
    private boolean inSet;
    private int setStart;
    private int at;

    LineTranslation(String regex) {
      this.regex = regex;
    }

    void run() {
      while (at < regex.length()) {
        var character = regex.charAt(at);
        if (regex.startsWith("\\Q", at)) {
          var end = regex.indexOf("\\E", at);
          copy(end < 0 ? regex.length() : end + 2);
        } else if (character == '\\' && at + 1 < regex.length()) {
          escape(regex.charAt(at + 1));
        } else if (character == '\n' || character == '\r') {
          throw lineEnd();
        } else {
          set(character);
          copy(at + 1);
        }
      }
    }

    private void set(char character) {
      if (!inSet && character == '[') {
        inSet = true;
        setStart = at + (regex.startsWith("^", at + 1) ? 2 : 1);
      } else if (inSet && character == ']' && at > setStart) {
        inSet = false;
      } else if (inSet && regex.startsWith("[:", at) && regex.indexOf(":]", at) > 0) {
        copy(regex.indexOf(":]", at) + 1);
      }
    }

    private void escape(char escaped) {
      if (!inSet && escaped == 'n') {
        throw lineEnd();
      }
      switch (escaped) {
        case 'w' -> add("\\w", inSet ? WORD : "[" + WORD + "]");
        case 'W' -> add("\\W", inSet ? "\\W" : "[^" + WORD + "]");
        case 'b', '<', '>' -> add(inSet ? "\\" + escaped : "\\b", edge(escaped));
        default -> {
          copy(at + 2);
          return;
        }
      }
      at += 2;
    }

    /** The engine knows only ASCII letters: next to another one, the other side decides. */
    private String edge(char escaped) {
      if (inSet) {
        return "\\" + escaped;
      }
      if (isOtherLetter(at + 2)) {
        return "(?:^|[^" + WORD + "])";
      }
      return isOtherLetter(at - 1) ? "(?:$|[^" + WORD + "])" : "\\b";
    }

    private boolean isOtherLetter(int position) {
      return position >= 0
          && position < regex.length()
          && regex.charAt(position) > 0x7F
          && Character.isLetter(regex.charAt(position));
    }

    private void copy(int end) {
      add(regex.substring(at, end), regex.substring(at, end));
      at = end;
    }

    private void add(String inAscii, String inUnicode) {
      ascii.append(inAscii);
      unicode.append(inUnicode);
    }

    private static ToolFailure lineEnd() {
      return new ToolFailure(
          "pattern: contains a line end (\\n), but lines are searched one by one; search for the text of one line, with context for the lines around it");
    }
  }
}
