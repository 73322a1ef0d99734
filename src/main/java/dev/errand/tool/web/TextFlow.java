package dev.errand.tool.web;

/** Text that grows: white space counts once, and breaks are kept back until words follow. */
final class TextFlow {

  private final StringBuilder text = new StringBuilder();
  private int breaks;
  private boolean space;
  private String indent = "";

  /** Words whose own line breaks mean nothing. */
  void words(String words) {
    for (int at = 0; at < words.length(); at++) {
      var character = words.charAt(at);
      if (Character.isWhitespace(character) || character == '\u00a0') {
        space = true;
      } else {
        put(character);
      }
    }
  }

  /** Words as they are, with their lines. */
  void verbatim(String words) {
    for (int at = 0; at < words.length(); at++) {
      if (words.charAt(at) == '\n') {
        breaks++;
        space = false;
      } else {
        put(words.charAt(at));
      }
    }
  }

  /** What follows begins a line. */
  void line() {
    breaks = Math.max(breaks, 1);
  }

  /** What follows stands behind an empty line. */
  void paragraph() {
    breaks = Math.max(breaks, 2);
  }

  /** What follows stands behind a space. */
  void gap() {
    space = true;
  }

  /** What stands before each line from now on. */
  void indent(String before) {
    indent = before;
  }

  int length() {
    return text.length();
  }

  @Override
  public String toString() {
    return text.toString();
  }

  private void put(char character) {
    if (breaks > 0) {
      text.repeat('\n', text.isEmpty() ? 0 : breaks).append(indent);
    } else if (space && !text.isEmpty()) {
      text.append(' ');
    }
    breaks = 0;
    space = false;
    text.append(character);
  }
}
