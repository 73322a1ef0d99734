package dev.errand.secret;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * The secrets that this process knows, and the masking of texts. Values of less than 8 characters
 * are no secrets. A secret is found as it is, in Base64, hexadecimal, URL, JSON and HTML encoding,
 * and across line breaks. A text without a secret is read once, at a few nanoseconds per character.
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

  /** The characters of a text that are compared with the beginnings of all secrets at once. */
  static final int WINDOW = 8;

  private static final int MAX_REMEMBERED = 10_000;
  private static final long BASE = 0x9E3779B97F4A7C15L;
  private static final long HIGHEST = highest();
  private static final int MARKED_BITS = 16;
  private static final int LONG_BITS = 6;

  private static final Set<String> REGISTERED = ConcurrentHashMap.newKeySet();
  private static final Map<String, Boolean> REMEMBERED = new LinkedHashMap<>(16, 0.75f, true);

  /** The forms of all secrets by the hash of their first characters. */
  private static final Map<Long, List<String>> FORMS = new ConcurrentHashMap<>();

  /** Has a bit for the hash of each form; tells for most texts that {@link #FORMS} has none. */
  private static final AtomicLongArray MARKS = new AtomicLongArray(1 << (MARKED_BITS - LONG_BITS));

  private Secrets() {}

  private static long highest() {
    var power = 1L;
    for (int i = 1; i < WINDOW; i++) {
      power *= BASE;
    }
    return power;
  }

  /** Registers a value for the life of the process. Idempotent. */
  public static synchronized void register(String value) {
    var secret = value.strip();
    if (secret.length() >= WINDOW && REGISTERED.add(secret)) {
      SecretForms.of(secret).forEach(Secrets::add);
    }
  }

  /** Registers one of many values; those not registered again for longest are forgotten. */
  public static synchronized void remember(String value) {
    if (value.length() < WINDOW || REMEMBERED.putIfAbsent(value, true) != null) {
      return;
    }
    SecretForms.of(value).forEach(Secrets::add);
    if (REMEMBERED.size() > MAX_REMEMBERED) {
      var oldest = REMEMBERED.keySet().iterator().next();
      REMEMBERED.remove(oldest);
      SecretForms.of(oldest).forEach(Secrets::remove);
    }
  }

  private static void add(String form) {
    var hash = hash(form);
    FORMS.computeIfAbsent(hash, _ -> new CopyOnWriteArrayList<>()).add(form);
    MARKS.accumulateAndGet(place(hash), 1L << hash, (old, bit) -> old | bit);
  }

  /** Another secret may have the same form, so only one of equal entries is removed. */
  private static void remove(String form) {
    FORMS.computeIfPresent(
        hash(form),
        (_, forms) -> {
          forms.remove(form);
          return forms.isEmpty() ? null : forms;
        });
  }

  private static long hash(String form) {
    var hash = 0L;
    for (int i = 0; i < WINDOW; i++) {
      hash = hash * BASE + form.charAt(i);
    }
    return hash;
  }

  /** The lowest bits of a hash choose a bit of a long, the next ones the long. */
  private static int place(long hash) {
    return (int) (hash >>> LONG_BITS) & ((1 << (MARKED_BITS - LONG_BITS)) - 1);
  }

  /** Returns whether a text contains a secret. */
  public static boolean occurIn(String text) {
    return next(text, 0, false) != null;
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
    var end = endOfCutSecret(text);
    return end == 0 ? maskedHead(text) : MASK + maskedHead(text.substring(end));
  }

  private static String masked(String text, boolean isCut) {
    var found = next(text, 0, isCut);
    if (found == null) {
      return text;
    }
    var masked = new StringBuilder();
    var copied = 0;
    for (; found != null; found = next(text, copied, isCut)) {
      masked.append(text, copied, found.from()).append(MASK);
      copied = found.to();
    }
    return masked.append(text, copied, text.length()).toString();
  }

  /** Returns the value with masked texts and names. */
  public static JsonNode masked(JsonNode value) {
    return occurIn(value.toString()) ? JsonTexts.replaced(value, Secrets::masked) : value;
  }

  private record SecretRange(int from, int to) {}

  /** Hashes each window of the text in constant time. Line breaks count as absent. */
  private static @Nullable SecretRange next(String text, int begin, boolean isCut) {
    var window = new int[WINDOW];
    var hash = 0L;
    var read = 0;
    for (int i = begin; i < text.length(); i++) {
      var character = text.charAt(i);
      if (character == '\n' || character == '\r') {
        continue;
      }
      var slot = read % WINDOW;
      if (read >= WINDOW) {
        hash -= text.charAt(window[slot]) * HIGHEST;
      }
      hash = hash * BASE + character;
      window[slot] = i;
      read++;
      if (read >= WINDOW && (MARKS.getPlain(place(hash)) & (1L << hash)) != 0) {
        var from = window[read % WINDOW];
        var to = longest(text, from, FORMS.getOrDefault(hash, List.of()), isCut);
        if (to > from) {
          return new SecretRange(from, to);
        }
      }
    }
    return null;
  }

  private static int longest(String text, int from, List<String> forms, boolean isCut) {
    var longest = from;
    for (var form : forms) {
      longest = Math.max(longest, matched(text, from, form, 0, isCut));
    }
    return longest;
  }

  /**
   * Returns where a form ends of which the text has all from a position on, or, if it is cut, a
   * large part until it ends itself; 0 if it has not.
   */
  private static int matched(String text, int from, String form, int position, boolean isCut) {
    var at = from;
    var next = position;
    for (; next < form.length() && at < text.length(); at++) {
      var character = text.charAt(at);
      if (character == form.charAt(next)) {
        next++;
      } else if (character != '\n' && character != '\r') {
        return 0;
      }
    }
    var part = next - position;
    var isLarge = part >= Math.max(WINDOW, form.length() / 2);
    return part == form.length() || (isCut && isLarge) ? at : 0;
  }

  /** Returns where the rest of a secret ends with which the text begins; 0 if it does not. */
  private static int endOfCutSecret(String text) {
    if (text.length() < WINDOW) {
      return 0;
    }
    var begin = text.substring(0, WINDOW);
    var ends = new ArrayList<>(List.of(0));
    for (var form : new LinkedHashSet<>(FORMS.values().stream().flatMap(List::stream).toList())) {
      for (int at = form.indexOf(begin, 1); at > 0; at = form.indexOf(begin, at + 1)) {
        ends.add(matched(text, 0, form, at, true));
      }
    }
    return ends.stream().mapToInt(Integer::intValue).max().orElse(0);
  }
}
