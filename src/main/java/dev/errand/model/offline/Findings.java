package dev.errand.model.offline;

import dev.errand.model.offline.Transcript.Exchange;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the searches brought.
 *
 * @param hits the matching lines of each word that was searched for, in the order of the searches
 * @param faults what searches said that could not be done
 */
record Findings(Map<Word, List<Hit>> hits, List<String> faults) {

  private static final int MOST_PLACES = 8;
  private static final int SAME_PLACE = 3;

  /**
   * @param words to call the patterns by what was asked for; others go by the pattern
   */
  static Findings of(List<Exchange> exchanges, List<Word> words) {
    var hits = new LinkedHashMap<Word, List<Hit>>();
    var faults = new ArrayList<String>();
    for (var exchange : exchanges) {
      if (!exchange.of("grep")) {
        continue;
      }
      if (exchange.result().isError()) {
        faults.add(exchange.result().text().strip());
      } else {
        var pattern = exchange.call().arguments().path("pattern").asText();
        hits.put(named(pattern, words), Hit.ofGrep(exchange.result().text()));
      }
    }
    return new Findings(hits, faults);
  }

  private static Word named(String pattern, List<Word> words) {
    return words.stream()
        .filter(word -> word.pattern().equals(pattern))
        .findFirst()
        .orElse(new Word(pattern, pattern));
  }

  List<String> words() {
    return hits.keySet().stream().map(Word::said).toList();
  }

  /** Every matching line once. */
  List<Hit> lines() {
    return hits.values().stream().flatMap(List::stream).distinct().sorted().toList();
  }

  /** The most telling places, best first; lines close to a better one are left out. */
  List<Hit> best() {
    var best = new ArrayList<Hit>();
    for (var hit : new Ranking(hits).ranked()) {
      if (best.size() < MOST_PLACES && best.stream().noneMatch(b -> b.near(hit, SAME_PLACE))) {
        best.add(hit);
      }
    }
    return best;
  }
}
