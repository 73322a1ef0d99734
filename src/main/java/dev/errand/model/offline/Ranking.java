package dev.errand.model.offline;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Orders matching lines by how much they tell: rare words weigh more than frequent ones, words in
 * the line more than words near it or in the file's name; lines that define something gain, files
 * that people do not write or that only talk about the code lose. Ties go by path and line.
 */
final class Ranking {

  private static final int NEAR = 3;
  private static final double WORD_NEAR = 0.7;
  private static final double WORD_IN_NAME = 0.3;
  private static final double DEFINITION = 1.15;
  private static final double IMPORT = 0.3;

  private static final Pattern DEFINES =
      Pattern.compile(
          "\\b(class|interface|record|enum|struct|trait|impl|def|func|fn|function|type|const|static"
              + "|public|private|protected)\\b");
  private static final Pattern IMPORTS =
      Pattern.compile("(import|package|using|#include|from)\\b.*");

  private final Map<Word, Double> weights = new HashMap<>();
  private final Map<Hit, Set<Word>> wordsOf = new TreeMap<>();
  private final Map<String, TreeMap<Integer, Set<Word>>> wordsAt = new HashMap<>();

  Ranking(Map<Word, List<Hit>> hits) {
    hits.forEach((word, lines) -> {
      weights.put(word, 1 / Math.log(Math.E + lines.size()));
      for (var hit : lines) {
        wordsOf.computeIfAbsent(hit, _ -> new HashSet<>()).add(word);
        wordsAt
            .computeIfAbsent(hit.path(), _ -> new TreeMap<>())
            .computeIfAbsent(hit.line(), _ -> new HashSet<>())
            .add(word);
      }
    });
  }

  /** Best first; every line once. */
  List<Hit> ranked() {
    var scores = new HashMap<Hit, Double>();
    wordsOf.keySet().forEach(hit -> scores.put(hit, score(hit)));
    return wordsOf.keySet().stream()
        .sorted(Comparator.comparing((Hit hit) -> -scores.getOrDefault(hit, 0.0)))
        .toList();
  }

  private double score(Hit hit) {
    var inLine = wordsOf.getOrDefault(hit, Set.of());
    var near = new HashSet<Word>();
    wordsAt
        .getOrDefault(hit.path(), new TreeMap<>())
        .subMap(hit.line() - NEAR, true, hit.line() + NEAR, true)
        .values()
        .forEach(near::addAll);
    near.removeAll(inLine);
    var named = inName(hit);
    named.removeAll(inLine);
    named.removeAll(near);
    var words = weight(inLine) + WORD_NEAR * weight(near) + WORD_IN_NAME * weight(named);
    return words * form(hit.text()) * FileWorth.of(hit);
  }

  private double weight(Set<Word> words) {
    // Sorted, because the sum of doubles depends on the order.
    return words.stream()
        .map(word -> weights.getOrDefault(word, 0.0))
        .sorted()
        .reduce(0.0, Double::sum);
  }

  private Set<Word> inName(Hit hit) {
    var name = hit.path().substring(hit.path().lastIndexOf('/') + 1);
    var words = new HashSet<Word>();
    for (var word : weights.keySet()) {
      if (Pattern.compile(word.pattern(), Pattern.CASE_INSENSITIVE).matcher(name).find()) {
        words.add(word);
      }
    }
    return words;
  }

  private static double form(String line) {
    if (IMPORTS.matcher(line).matches()) {
      return IMPORT;
    }
    return DEFINES.matcher(line).find() ? DEFINITION : 1;
  }
}
