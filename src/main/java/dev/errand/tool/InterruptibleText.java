package dev.errand.tool;

/** A long text that stops whoever goes through it once the thread is interrupted. */
record InterruptibleText(CharSequence text) implements CharSequence {

  private static final int LONG = 10_000;

  /** The text itself when going through it takes no time worth the trouble. */
  static CharSequence of(String text) {
    return text.length() < LONG ? text : new InterruptibleText(text);
  }

  @Override
  public char charAt(int index) {
    if ((index & 0xFFF) == 0 && Thread.currentThread().isInterrupted()) {
      throw new ToolFailure("The call was interrupted.");
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
