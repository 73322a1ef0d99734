package dev.errand.demo;

import static java.util.stream.Collectors.joining;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.demo.ChatHistory.Exchange;
import dev.errand.demo.Findings.Hit;
import dev.errand.demo.OfflinePlanner.PlannedTurn;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * The turns of an explorer: a parallel search for each term of the request, then the best places
 * are read in parallel, then the report. For a request without terms it lists the workspace.
 */
final class ExplorePlan {

  private static final int MOST_LINES = 300;
  private static final int MOST_READS = 5;
  private static final int LINES_AROUND = 6;

  /** The line that the service adds to a request; its words are not searched for. */
  private static final String THOROUGHNESS = "\\n\\nThoroughness: .*\\z";

  private ExplorePlan() {}

  static PlannedTurn next(ChatHistory history, Set<String> tools) {
    var done = history.sinceRequest().exchanges();
    if (done.isEmpty()) {
      return begin(history.request(), tools);
    }
    var best = Findings.of(done).best();
    var isRead = done.stream().anyMatch(exchange -> exchange.isOf("read"));
    if (isRead || best.isEmpty() || !tools.contains("read")) {
      return PlannedTurn.says(report(done));
    }
    var reads = best.stream().limit(MOST_READS).map(ExplorePlan::read).toList();
    return new PlannedTurn("I read the best matches.", reads);
  }

  private static PlannedTurn begin(String request, Set<String> tools) {
    var terms = SearchTerms.in(request.replaceFirst(THOROUGHNESS, ""));
    if (!terms.isEmpty()) {
      var searches = terms.stream().map(ExplorePlan::search).toList();
      return new PlannedTurn("I search for %s.".formatted(quoted(terms)), searches);
    }
    return tools.contains("list")
        ? new PlannedTurn(
            "The request names nothing to search for, so I list the workspace.",
            List.of(new PlannedTurn.PlannedCall("list", arguments())))
        : PlannedTurn.says("The request names nothing to search for.");
  }

  private static PlannedTurn.PlannedCall search(String term) {
    var arguments =
        arguments()
            .put("pattern", term.replaceAll("[^\\p{L}\\p{N}_\\s]", "\\\\$0"))
            .put("case_insensitive", true)
            .put("output_mode", "content")
            .put("head_limit", MOST_LINES);
    return new PlannedTurn.PlannedCall("grep", arguments);
  }

  private static PlannedTurn.PlannedCall read(Hit hit) {
    var arguments =
        arguments()
            .put("file_path", hit.path())
            .put("offset", Math.max(1, hit.line() - LINES_AROUND))
            .put("limit", 2 * LINES_AROUND + 1);
    return new PlannedTurn.PlannedCall("read", arguments);
  }

  private static ObjectNode arguments() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** Reports what the calls found: hits, best first, then the lines around them. */
  static String report(List<Exchange> done) {
    var found = Findings.of(done);
    var terms = quoted(found.hits().keySet());
    var lines = new ArrayList<String>();
    if (!found.all().isEmpty()) {
      var count = Hit.count(found.all(), "line");
      lines.add("%s match %s; the most relevant places first:".formatted(count, terms));
      found.best().forEach(hit -> lines.add(hit.toString()));
    } else if (!found.hits().isEmpty()) {
      lines.add("Nothing in the workspace matches %s.".formatted(terms));
    }
    for (var exchange : done) {
      if (exchange.failed()) {
        lines.add("%s failed: %s".formatted(exchange.call().name(), exchange.text()));
      } else if (exchange.isOf("list")) {
        lines.add("The workspace contains:\n" + exchange.text());
      } else if (exchange.isOf("read")) {
        lines.add("\nFrom %s:\n%s".formatted(exchange.argument("file_path"), exchange.text()));
      }
    }
    return lines.stream().distinct().collect(joining("\n"));
  }

  private static String quoted(Collection<String> terms) {
    return terms.stream().map("\"%s\""::formatted).collect(joining(", "));
  }
}
