package dev.errand.conversation;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Shortens text without splitting a surrogate pair, half of which could not be stored. */
public final class TextCut {

  private TextCut() {}

  /** Returns the first {@code max} characters, or one less. */
  public static String head(String text, int max) {
    return text.length() <= max ? text : wholeEnd(text.substring(0, max));
  }

  /** Returns the last {@code max} characters, or one less. */
  public static String tail(String text, int max) {
    return text.length() <= max ? text : wholeStart(text.substring(text.length() - max));
  }

  /** Returns the text without the second half of a surrogate pair at its start. */
  public static String wholeStart(String text) {
    return !text.isEmpty() && Character.isLowSurrogate(text.charAt(0)) ? text.substring(1) : text;
  }

  /** Returns the text without the first half of a surrogate pair at its end. */
  public static String wholeEnd(String text) {
    var last = text.length() - 1;
    return last >= 0 && Character.isHighSurrogate(text.charAt(last))
        ? text.substring(0, last)
        : text;
  }

  /**
   * Returns the text itself, or its first {@code max} characters and an ellipsis if it is longer.
   */
  public static String withEllipsis(String text, int max) {
    return text.length() <= max ? text : head(text, max) + "…";
  }

  /**
   * Returns the text itself, or as many of its first words as fit into {@code max} characters
   * together with an ellipsis.
   */
  public static String words(String text, int max) {
    if (text.length() <= max) {
      return text;
    }
    var head = head(text, max - 1);
    var end = head.length();
    while (end > 0 && !Character.isWhitespace(text.charAt(end))) {
      end--;
    }
    // A text without spaces, or with a very long last word, is cut within the word.
    var whole = end >= max / 2 ? head.substring(0, end) : head;
    return whole.stripTrailing() + "…";
  }

  /** Returns the first words, separated by one space, in at most {@code maxChars} characters. */
  public static String firstWords(String text, int maxWords, int maxChars) {
    var words = Arrays.stream(text.strip().split("\\s+")).limit(maxWords);
    return withEllipsis(words.collect(Collectors.joining(" ")), maxChars);
  }
}
