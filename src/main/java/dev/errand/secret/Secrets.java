package dev.errand.secret;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The secrets that this process knows, and the masking of texts. Values of less than 8 characters
 * are no secrets. A secret is found as it is, in Base64, hexadecimal, URL, JSON and HTML encoding,
 * and across line breaks.
 *
 * <p>A part of a secret is not masked, because its absence would tell a caller whose text is
 * returned that a guess is right, character by character. Only where the service itself cuts a
 * text, a large part is masked: {@link #maskedHead}, {@link #maskedTail}.
 *
 * <p>Static, because the log is masked before there are beans.
 */
public final class Secrets {

  /** Takes the place of a secret. */
  public static final String MASK = "***";

  private static final int LEAST = SecretIndex.WINDOW;
  private static final int MAX_REMEMBERED = 10_000;

  /** From here on there are scripts without spaces between words, and symbols. */
  private static final char WITHOUT_SPACES = '\u0e00';

  private static final SecretIndex INDEX = new SecretIndex();
  private static final Set<String> REGISTERED = ConcurrentHashMap.newKeySet();
  private static final Map<String, Boolean> REMEMBERED = new LinkedHashMap<>(16, 0.75f, true);

  private Secrets() {}

  /** Registers a value for the life of the process. Idempotent. */
  public static synchronized void register(String value) {
    var secret = value.strip();
    if (secret.length() >= LEAST && REGISTERED.add(secret)) {
      SecretForms.of(secret).forEach(INDEX::add);
    }
  }

  /** Registers one of many values; those not registered again for longest are forgotten. */
  public static synchronized void remember(String value) {
    if (value.length() < LEAST || REMEMBERED.putIfAbsent(value, true) != null) {
      return;
    }
    SecretForms.of(value).forEach(INDEX::add);
    if (REMEMBERED.size() > MAX_REMEMBERED) {
      var oldest = REMEMBERED.keySet().iterator().next();
      REMEMBERED.remove(oldest);
      SecretForms.of(oldest).forEach(INDEX::remove);
    }
  }

  /** Returns whether a text contains a secret. */
  public static boolean occurIn(String text) {
    return INDEX.next(text, 0, false) != null;
  }

  /** Returns the text with a mask in place of each secret. */
  public static String masked(String text) {
    return masked(text, false);
  }

  /** Masks the beginning of a longer text: also a secret of which the end was cut off. */
  public static String maskedHead(String text) {
    return masked(text, true);
  }

  /**
   * Masks the end of a longer text that may continue: also a secret of which the beginning or the
   * end was cut off.
   */
  public static String maskedTail(String text) {
    var end = INDEX.endOfCut(text);
    return end == 0 ? maskedHead(text) : MASK + maskedHead(text.substring(end));
  }

  /**
   * Masks a text that is still being written, and leaves out its end, which may belong to a secret
   * that is not complete: the last word, whether it looks like a secret or not, and also a large
   * part of a secret with spaces. What follows continues the returned text, unless a secret with
   * spaces has become complete.
   */
  public static String maskedSoFar(String text) {
    return masked(text, lastWord(text), true);
  }

  /** Line breaks are parts of words, because a secret is found across them. */
  private static int lastWord(String text) {
    var at = text.length();
    while (at > 0 && isOfWord(text.charAt(at - 1))) {
      at--;
    }
    return at;
  }

  private static boolean isOfWord(char character) {
    return character == '\n'
        || character == '\r'
        || (character < WITHOUT_SPACES && !Character.isWhitespace(character));
  }

  private static String masked(String text, boolean isCut) {
    return masked(text, text.length(), isCut);
  }

  /** Masks the text as far as {@code end}, or as far as a secret that reaches beyond it. */
  private static String masked(String text, int end, boolean isCut) {
    var masked = new StringBuilder();
    var copied = 0;
    var found = INDEX.next(text, 0, isCut);
    for (; found != null && found.to() <= end; found = INDEX.next(text, copied, isCut)) {
      masked.append(text, copied, found.from()).append(MASK);
      copied = found.to();
    }
    if (copied == 0 && found == null && end == text.length()) {
      return text;
    }
    return masked
        .append(text, copied, found == null ? end : Math.min(end, found.from()))
        .toString();
  }

  /** Returns the value with masked texts and names. */
  public static JsonNode masked(JsonNode value) {
    return occurIn(value.toString()) ? JsonTexts.replaced(value, Secrets::masked) : value;
  }
}
