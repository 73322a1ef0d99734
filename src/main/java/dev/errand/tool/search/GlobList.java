package dev.errand.tool.search;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The patterns that one text contains. Models separate them by commas, some by spaces, {@code |} or
 * {@code ;}. A name may contain these characters, so the whole is a pattern, too.
 *
 * @param excluding without the {@code !} at their start
 */
record GlobList(List<String> including, List<String> excluding) {

  private static final Pattern QUOTED = Pattern.compile("([\"'`])(.+)\\1");
  private static final Pattern OTHER_SEPARATOR = Pattern.compile("\\s*[|;]\\s*|\\s+");

  /** A path with the separators of Windows, and nothing that could be an escape at its start. */
  private static final Pattern WINDOWS_PATH = Pattern.compile("[^/\\\\]+(\\\\[\\w.*][^/\\\\]*)+");

  static GlobList of(String glob) {
    var quoted = QUOTED.matcher(glob.strip());
    var whole = quoted.matches() ? quoted.group(2) : glob;
    var parts = parts(whole).stream().flatMap(GlobList::words).toList();
    var including = parts.stream().filter(part -> !isExcluding(part)).map(GlobList::positive);
    var excluding = parts.stream().filter(GlobList::isExcluding).map(GlobList::positive).toList();
    var isOne = excluding.isEmpty() && (parts.size() == 1 || !whole.startsWith("/"));
    var names = isOne ? Stream.of(whole) : Stream.<String>of();
    return new GlobList(variants(Stream.concat(names, including)), variants(excluding.stream()));
  }

  /** Splits patterns at the commas outside of braces. */
  private static List<String> parts(String globs) {
    var parts = new ArrayList<String>();
    var start = 0;
    var openBraces = 0;
    for (int at = 0; at < globs.length(); at++) {
      switch (globs.charAt(at)) {
        case '\\' -> at++;
        case '{' -> openBraces++;
        case '}' -> openBraces--;
        case ',' -> {
          if (openBraces == 0) {
            parts.add(globs.substring(start, at).strip());
            start = at + 1;
          }
        }
        default -> {}
      }
    }
    parts.add(globs.substring(start).strip());
    return parts.stream().filter(part -> !part.isEmpty()).toList();
  }

  /** Returns the patterns between other separators, if each of them has a star. */
  private static Stream<String> words(String part) {
    var words = OTHER_SEPARATOR.split(part);
    return part.indexOf('(') < 0 && Stream.of(words).allMatch(word -> word.contains("*"))
        ? Stream.of(words)
        : Stream.of(part);
  }

  /** {@code !(a|b)} is a part of a pattern. */
  private static boolean isExcluding(String pattern) {
    return marks(pattern) % 2 == 1;
  }

  private static String positive(String pattern) {
    return pattern.substring(marks(pattern));
  }

  private static int marks(String pattern) {
    var count = 0;
    while (pattern.startsWith("!", count) && !pattern.startsWith("(", count + 1)) {
      count++;
    }
    return count;
  }

  private static List<String> variants(Stream<String> patterns) {
    return patterns
        .flatMap(pattern ->
            WINDOWS_PATH.matcher(pattern).matches()
                ? Stream.of(pattern, pattern.replace('\\', '/'))
                : Stream.of(pattern))
        .distinct()
        .toList();
  }
}
