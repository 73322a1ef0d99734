package dev.errand.demo;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Picks the words to search for from a request. */
final class SearchTerms {

  private static final int MOST = 6;

  /** A quoted text, or a word with the separators that identifiers and file names have inside. */
  private static final Pattern TERM =
      Pattern.compile(
          "[\"“`]([^\"”`\\n]+)[\"”`]|([\\p{L}\\p{N}_$]{3,}(?:(?:\\.|::|#)[\\p{L}\\p{N}_$]+)*)");

  private static final Pattern IDENTIFIER = Pattern.compile(".*(\\W|_|[\\p{Ll}\\d]\\p{Lu}).*");

  private static final Set<String> STOP_WORDS =
      Set.of(
          """
          about all also and any anything are because been before being between both but can cannot
          codebase could defined describe did does done each every everything exactly explain file files
          find for from get give goes happen happens has have having how implemented inside into its
          just know like list located look made make makes many more most must need not now only onto
          other our out over own part place please project really repository same search should show
          some something than that the their them then there these they thing this those through under
          until use used uses using very via want was way well were what when where whether which while
          who whose why will with within without work works workspace would you your\
          """
              .split("\\s+"));

  private SearchTerms() {}

  /**
   * Returns at most 6 terms in the order of the request: quoted texts and identifiers first, then
   * the longest words, because they are rarer.
   */
  static List<String> in(String request) {
    var found = new LinkedHashSet<String>();
    var matcher = TERM.matcher(request);
    while (matcher.find()) {
      var quoted = matcher.group(1);
      if (quoted != null) {
        found.add(quoted);
      } else if (!STOP_WORDS.contains(matcher.group(2).toLowerCase(Locale.ROOT))) {
        found.add(singular(matcher.group(2)));
      }
    }
    var kept =
        found.stream().sorted(Comparator.comparingInt(SearchTerms::rank)).limit(MOST).toList();
    return found.stream().filter(kept::contains).toList();
  }

  private static int rank(String term) {
    return IDENTIFIER.matcher(term).matches() ? Integer.MIN_VALUE : -term.length();
  }

  /** The singular is part of the plural, so that a search for it finds both. */
  private static String singular(String word) {
    return word.replaceFirst("(?<=^\\p{L}{3,40}[^sui])s$", "");
  }
}
