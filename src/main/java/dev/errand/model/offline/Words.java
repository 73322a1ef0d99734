package dev.errand.model.offline;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Picks what to look for from a request: quoted words and identifiers as they stand, of the others
 * the stems of those that carry meaning.
 */
final class Words {

  /** How many searches side by side are worth it. */
  static final int MOST = 6;

  private static final Pattern QUOTED =
      Pattern.compile("\"([^\"\\n]+)\"|“([^”\\n]+)”|`([^`\\n]+)`");
  private static final Pattern TOKEN =
      Pattern.compile("[\\p{L}\\p{N}_$]+(?:(?:\\.|::|#|-)[\\p{L}\\p{N}_$]+)*");
  private static final Pattern IDENTIFIER =
      Pattern.compile(".*(?:_|::|#|\\w\\.\\w|[\\p{Ll}\\d]\\p{Lu}|\\p{Lu}{2}\\p{Ll}{2}).*");
  private static final Pattern META = Pattern.compile("[^\\p{L}\\p{N}_\\s]");
  private static final int SHORTEST = 3;

  private static final Set<String> STOP =
      Set.copyOf(
          List.of(
              """
              a about above across actually after again all already also am an and any anything anywhere are
              around as ask at be because been before being below between both but by can cannot codebase
              could describe did do does doing done down during each either else ever every everything
              everywhere exactly explain file files find for from get give go goes had happen happens has
              have having he help her here his how however i if implemented in inside into is it its just
              keep kind kindly know let like list locate located look looking lot made make makes many may
              me might more most much must my need no nor not now of off on once one only onto or other our
              out over own part place places please project quite rather really repo repository s same
              search see shall she should show so some something somewhere such sure t tell than that the
              their them then there these they thing things this those through to too under until up upon
              us use used uses using very via want was way we well were what whatever when where wherever
              whether which while who whole whom whose why will with within without work works workspace
              would you your e.g i.e etc defined
              """
                  .strip()
                  .split("\\s+")));

  private Words() {}

  /** At most {@link #MOST}, in the order of the request, each once. */
  static List<Word> of(String request) {
    var found = new LinkedHashMap<String, Word>();
    var identifiers = new LinkedHashMap<String, Word>();
    var quoted = QUOTED.matcher(request);
    while (quoted.find()) {
      add(identifiers, whole(quoted.group().substring(1, quoted.group().length() - 1).strip()));
    }
    var tokens = TOKEN.matcher(quoted.replaceAll(" "));
    while (tokens.find()) {
      var token = tokens.group();
      if (isStop(token)) {
        continue;
      }
      if (IDENTIFIER.matcher(token).matches()) {
        add(identifiers, whole(token));
      } else {
        for (var part : token.split("-")) {
          if (!isStop(part)) {
            add(found, new Word(part, stem(part)));
          }
        }
      }
    }
    return chosen(identifiers, found);
  }

  /** Identifiers first; then long words before short ones, because they are rarer. */
  private static List<Word> chosen(Map<String, Word> identifiers, Map<String, Word> others) {
    var room = Math.max(0, MOST - identifiers.size());
    var longest =
        others.values().stream()
            .sorted(Comparator.comparing((Word word) -> -word.said().length()))
            .limit(room)
            .toList();
    var all = new LinkedHashMap<>(identifiers);
    others.values().stream().filter(longest::contains).forEach(word -> add(all, word));
    return all.values().stream().limit(MOST).toList();
  }

  private static void add(Map<String, Word> words, Word word) {
    if (!word.said().isBlank()) {
      words.putIfAbsent(word.pattern().toLowerCase(Locale.ROOT), word);
    }
  }

  private static boolean isStop(String token) {
    return token.length() < SHORTEST || STOP.contains(token.toLowerCase(Locale.ROOT));
  }

  private static Word whole(String said) {
    return new Word(said, META.matcher(said).replaceAll("\\\\$0"));
  }

  /**
   * What the variants of a word have in common: {@code codes} gives {@code code}, {@code decided}
   * gives {@code decid}, {@code retried} and {@code retry} give {@code retr(y|ie)}.
   */
  static String stem(String word) {
    var lower = word.toLowerCase(Locale.ROOT);
    var base = cut(lower, "ing", 4).equals(lower) ? lower : undoubled(cut(lower, "ing", 4));
    if (base.endsWith("ies") || base.endsWith("ied")) {
      return base.length() < 5 ? base : base.substring(0, base.length() - 3) + "(y|ie)";
    }
    if (base.endsWith("y") && base.length() > 4) {
      return base.substring(0, base.length() - 1) + "(y|ie)";
    }
    if (base.matches(".*(ss|x|ch|sh)es")) {
      return cut(base, "es", 3);
    }
    if (base.endsWith("eed") || base.matches(".*(s|u|i)s")) {
      return base;
    }
    var past = cut(base, "ed", 4);
    if (!past.equals(base)) {
      return undoubled(past);
    }
    return cut(cut(base, "s", 3), "e", 5);
  }

  private static String cut(String word, String ending, int shortest) {
    return word.endsWith(ending) && word.length() - ending.length() >= shortest
        ? word.substring(0, word.length() - ending.length())
        : word;
  }

  /** {@code mapp} gives {@code map}; {@code call} stays. */
  private static String undoubled(String stem) {
    return stem.matches(".*([bdgmnprt])\\1") ? stem.substring(0, stem.length() - 1) : stem;
  }
}
