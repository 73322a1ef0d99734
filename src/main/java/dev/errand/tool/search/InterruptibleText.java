package dev.errand.tool.search;

/** A long text that throws once the search is stopped, so that matching it ends early. */
record InterruptibleText(CharSequence text, CancelFlag cancel) implements CharSequence {

  private static final int LONG = 10_000;

  /** Returns {@code text} itself if it is short. */
  static CharSequence of(String text, CancelFlag cancel) {
    return text.length() < LONG ? text : new InterruptibleText(text, cancel);
  }

  @Override
  public char charAt(int index) {
    if ((index & 0xFFF) == 0) {
      cancel.throwIfStopped();
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
