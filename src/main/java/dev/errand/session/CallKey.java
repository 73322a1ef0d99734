package dev.errand.session;

/**
 * The identity of a tool call in its session; a model's own ids may repeat. Written {@code <message
 * seq>.<index>}.
 *
 * @param messageSeq the assistant message that asks for the call; 0 for a call that the client of
 *     an external session makes
 * @param index the place of the call in that message, from 0
 */
public record CallKey(long messageSeq, int index) {

  /**
   * Returns whether the client of an external session makes the call, and no message asks for it.
   */
  boolean isOfClient() {
    return messageSeq == 0;
  }

  /** Reads the written form. */
  public static CallKey parse(String text) {
    var dot = text.indexOf('.');
    return new CallKey(
        Long.parseLong(text, 0, dot, 10), Integer.parseInt(text, dot + 1, text.length(), 10));
  }

  @Override
  public String toString() {
    return messageSeq + "." + index;
  }
}
