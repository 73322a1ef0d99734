package dev.errand.tool.web;

/** Builds text: collapses white space, and writes line breaks only before further text. */
final class TextFlow {

  private final StringBuilder text = new StringBuilder();
  private int breaks;
  private boolean space;
  private String indent = "";

  /** Adds text and treats its line breaks as spaces. */
  void inline(String added) {
    for (int at = 0; at < added.length(); at++) {
      var character = added.charAt(at);
      if (Character.isWhitespace(character) || character == '\u00a0') {
        space = true;
      } else {
        put(character);
      }
    }
  }

  /** Adds text with its line breaks. */
  void verbatim(String added) {
    for (int at = 0; at < added.length(); at++) {
      if (added.charAt(at) == '\n') {
        breaks++;
        space = false;
      } else {
        put(added.charAt(at));
      }
    }
  }

  /** Starts a new line. */
  void line() {
    breaks = Math.max(breaks, 1);
  }

  /** Starts a new paragraph, after an empty line. */
  void paragraph() {
    breaks = Math.max(breaks, 2);
  }

  /** Adds a space. */
  void gap() {
    space = true;
  }

  /** Sets the indentation of the following lines. */
  void indent(String indentation) {
    indent = indentation;
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
