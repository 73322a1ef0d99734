package dev.errand.session;

/**
 * The identity of a tool call in its session; a model's own ids may repeat. Written {@code <message
 * seq>.<index>}.
 *
 * @param messageSeq the assistant message that asks for the call
 * @param index the place of the call in that message, from 0
 */
public record CallKey(long messageSeq, int index) {

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
