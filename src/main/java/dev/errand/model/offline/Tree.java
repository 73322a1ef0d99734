package dev.errand.model.offline;

import dev.errand.model.offline.Transcript.Exchange;
import java.util.List;
import java.util.stream.Collectors;

/** Describes a workspace by what is in it. */
final class Tree {

  private static final int MOST_SHOWN = 60;

  private Tree() {}

  static String described(List<Exchange> exchanges) {
    return exchanges.stream().map(Tree::described).collect(Collectors.joining("\n\n"));
  }

  private static String described(Exchange exchange) {
    var result = exchange.result();
    if (result.isError()) {
      return "I could not look around: " + result.text().strip();
    }
    var entries = result.text().lines().filter(line -> !line.isBlank()).toList();
    if (entries.isEmpty()) {
      return "The workspace is empty.";
    }
    var shown = String.join("\n", entries.subList(0, Math.min(entries.size(), MOST_SHOWN)));
    var more = entries.size() > MOST_SHOWN ? "\n…" : "";
    return "The request names nothing to search for. This is what the workspace holds:\n\n"
        + shown
        + more;
  }
}
