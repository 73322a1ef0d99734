package dev.errand.tool.search;

import dev.errand.tool.file.CancelFlag;

/** A long text that stops whoever goes through it once the search is halted. */
record InterruptibleText(CharSequence text, CancelFlag halt) implements CharSequence {

  private static final int LONG = 10_000;

  /** The text itself when going through it takes no time worth the trouble. */
  static CharSequence of(String text, CancelFlag halt) {
    return text.length() < LONG ? text : new InterruptibleText(text, halt);
  }

  @Override
  public char charAt(int index) {
    if ((index & 0xFFF) == 0) {
      halt.check();
    }
    return text.charAt(index);
  }

  @Override
  public int length() {
    return text.length();
  }

  @Override
  public CharSequence subSequence(int start, int end) {
    return text.subSequence(start, end);
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
