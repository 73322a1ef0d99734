package dev.errand.secret;

import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Finds the forms of all secrets in a text, which it reads once, at a few nanoseconds per
 * character, however many there are. A regular expression with an alternative for each of them
 * takes a hundred times as long.
 */
final class SecretIndex {

  /** The characters of a text that are compared with the beginnings of all forms at once. */
  static final int WINDOW = 8;

  private static final long BASE = 0x9E3779B97F4A7C15L;
  private static final long HIGHEST = highest();
  private static final int MARKED_BITS = 16;
  private static final int LONG_BITS = 6;

  /**
   * The forms by the hash of their first characters, sorted, because clients can choose many
   * secrets that begin alike; each with the number of secrets that have it.
   */
  private final Map<Long, NavigableMap<String, Integer>> forms = new ConcurrentHashMap<>();

  /** Has a bit for the hash of each form; tells for most texts that there is none. */
  private final AtomicLongArray marks = new AtomicLongArray(1 << (MARKED_BITS - LONG_BITS));

  private volatile int longest = WINDOW;

  private static long highest() {
    var power = 1L;
    for (int i = 1; i < WINDOW; i++) {
      power *= BASE;
    }
    return power;
  }

  /** Adds a form of at least {@link #WINDOW} characters. Not called by two threads at a time. */
  void add(String form) {
    var hash = hash(form);
    longest = Math.max(longest, form.length());
    forms.computeIfAbsent(hash, _ -> new ConcurrentSkipListMap<>()).merge(form, 1, Integer::sum);
    marks.accumulateAndGet(place(hash), 1L << hash, (old, bit) -> old | bit);
  }

  void remove(String form) {
    forms.computeIfPresent(
        hash(form),
        (_, same) -> {
          same.computeIfPresent(form, (_, count) -> count == 1 ? null : count - 1);
          return same.isEmpty() ? null : same;
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

  /** Where a form is. */
  record SecretRange(int from, int to) {}

  /**
   * Returns the first form at or after a position; null if there is none. Hashes each window of the
   * text in constant time. Line breaks count as absent.
   *
   * @param isCut whether the end of a form may be missing at the end of the text
   */
  @Nullable SecretRange next(String text, int begin, boolean isCut) {
    var window = new int[WINDOW];
    var hash = 0L;
    var read = 0;
    for (int i = begin; i < text.length(); i++) {
      var character = text.charAt(i);
      if (isBreak(character)) {
        continue;
      }
      var slot = read % WINDOW;
      if (read >= WINDOW) {
        hash -= text.charAt(window[slot]) * HIGHEST;
      }
      hash = hash * BASE + character;
      window[slot] = i;
      read++;
      if (read >= WINDOW && (marks.getPlain(place(hash)) & (1L << hash)) != 0) {
        var from = window[read % WINDOW];
        var same = forms.get(hash);
        var to = same == null ? from : end(text, from, same, isCut);
        if (to > from) {
          return new SecretRange(from, to);
        }
      }
    }
    return null;
  }

  private static boolean isBreak(char character) {
    return character == '\n' || character == '\r';
  }

  /**
   * Returns where the longest form ends of which the text has all from a position on, or, if it is
   * cut, a large part until it ends itself; the position if there is none.
   */
  private int end(String text, int from, NavigableMap<String, Integer> same, boolean isCut) {
    var rest = unbroken(text, from);
    if (isCut
        && same.tailMap(rest, false).keySet().stream()
            .takeWhile(form -> form.startsWith(rest))
            .anyMatch(form -> isLarge(rest.length(), form))) {
      return text.length();
    }
    // Whatever lies between two texts in their order begins with all that they have in common.
    for (var form = same.floorKey(rest); form != null; ) {
      var common = common(form, rest);
      if (common == form.length()) {
        return after(text, from, common);
      }
      form = same.floorKey(rest.substring(0, common));
    }
    return from;
  }

  /** Returns the text from a position on, without line breaks, as far as a form may reach. */
  private String unbroken(String text, int from) {
    var rest = new StringBuilder();
    for (int at = from; at < text.length() && rest.length() < longest; at++) {
      if (!isBreak(text.charAt(at))) {
        rest.append(text.charAt(at));
      }
    }
    return rest.toString();
  }

  private static int common(String one, String other) {
    var length = 0;
    while (length < Math.min(one.length(), other.length())
        && one.charAt(length) == other.charAt(length)) {
      length++;
    }
    return length;
  }

  /** Returns the position after so many characters, not counting line breaks. */
  private static int after(String text, int from, int count) {
    var at = from;
    for (int left = count; left > 0; at++) {
      left -= isBreak(text.charAt(at)) ? 0 : 1;
    }
    return at;
  }

  private static boolean isLarge(int part, String form) {
    return part >= Math.max(WINDOW, form.length() / 2);
  }

  /** Returns where the rest of a form ends with which the text begins; 0 if it does not. */
  int endOfCut(String text) {
    var rest = unbroken(text, 0);
    if (rest.length() < WINDOW) {
      return 0;
    }
    var begin = rest.substring(0, WINDOW);
    var longestPart = 0;
    for (var same : forms.values()) {
      for (var form : same.keySet()) {
        for (int at = form.indexOf(begin, 1); at > 0; at = form.indexOf(begin, at + 1)) {
          var part = Math.min(form.length() - at, rest.length());
          if (isLarge(part, form) && rest.regionMatches(0, form, at, part)) {
            longestPart = Math.max(longestPart, part);
          }
        }
      }
    }
    return after(text, 0, longestPart);
  }
}
