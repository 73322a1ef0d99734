package dev.errand.postgres;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.secret.JsonTexts;

/**
 * A text that PostgreSQL can store: without U+0000 and without half of a surrogate pair. Models,
 * web pages, files and programs produce both, and what cuts a text may leave the half of a pair.
 * Each is replaced by U+FFFD. A text that has none of them is read once and not copied.
 */
public final class StorableText {

  private static final char REPLACEMENT = '\ufffd';

  private StorableText() {}

  /** Returns the text itself if it can be stored. */
  public static String of(String text) {
    var at = nextFault(text, 0);
    if (at == text.length()) {
      return text;
    }
    var chars = text.toCharArray();
    for (; at < chars.length; at = nextFault(text, at + 1)) {
      chars[at] = REPLACEMENT;
    }
    return new String(chars);
  }

  /** Returns the value itself if all its texts and names can be stored. */
  public static JsonNode of(JsonNode value) {
    return JsonTexts.all(value, StorableText::isStorable)
        ? value
        : JsonTexts.replaced(value, StorableText::of);
  }

  private static boolean isStorable(String text) {
    return nextFault(text, 0) == text.length();
  }

  private static int nextFault(String text, int from) {
    for (int at = from; at < text.length(); at++) {
      var character = text.charAt(at);
      if (character == 0) {
        return at;
      }
      if (Character.isSurrogate(character)) {
        if (!isPair(text, at)) {
          return at;
        }
        at++;
      }
    }
    return text.length();
  }

  private static boolean isPair(String text, int at) {
    return at + 1 < text.length()
        && Character.isSurrogatePair(text.charAt(at), text.charAt(at + 1));
  }
}
