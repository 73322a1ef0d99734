package dev.errand.model.offline;

import dev.errand.model.offline.Transcript.Exchange;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The lines of files that were read. */
final class Quotes {

  private static final int AROUND = 3;

  /** A number, a tab or another sign, and the text. */
  private static final Pattern NUMBERED =
      Pattern.compile("\\s*(\\d{1,9})(?:\\t|→|\\s?[|:]\\s?|\\s{2})(.*)");

  private final Map<String, NavigableMap<Integer, String>> lines = new HashMap<>();

  Quotes(List<Exchange> exchanges) {
    exchanges.stream()
        .filter(exchange -> exchange.of("read") && !exchange.result().isError())
        .forEach(this::take);
  }

  private void take(Exchange read) {
    var path = read.call().arguments().path("file_path").asText();
    var file = lines.computeIfAbsent(path, _ -> new TreeMap<>());
    for (var line : read.result().text().lines().toList()) {
      var numbered = NUMBERED.matcher(line);
      if (numbered.matches()) {
        file.put(Integer.parseInt(numbered.group(1)), numbered.group(2));
      }
    }
  }

  /** The lines around a hit as they were read, numbered; empty when it was not read. */
  String around(Hit hit) {
    var file = lines.getOrDefault(hit.path(), new TreeMap<>());
    var quoted = new StringBuilder();
    file.subMap(hit.line() - AROUND, true, hit.line() + AROUND, true)
        .forEach((number, text) -> quoted.append("%7d\t%s\n".formatted(number, text)));
    return quoted.toString();
  }
}
