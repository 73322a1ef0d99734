package dev.errand.demo;

import static java.util.stream.Collectors.joining;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.errand.demo.ChatHistory.Exchange;
import dev.errand.demo.Findings.Hit;
import dev.errand.demo.OfflinePlanner.PlannedTurn;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The turns of a primary agent: delegates each request to an explorer and sums up its report. */
final class PrimaryPlan {

  private static final int LONGEST_DESCRIPTION = 5;
  private static final Pattern RESULT = Pattern.compile("(?s)<task_result>(.*)</task_result>");
  private static final Pattern ERROR = Pattern.compile("(?m)^Error: (.*)$");

  private PrimaryPlan() {}

  static PlannedTurn next(ChatHistory history) {
    var news = history.news();
    var texts = new ArrayList<>(news.notices().stream().map(PrimaryPlan::summary).toList());
    if (news.messages().isEmpty()) {
      history.sinceRequest().exchanges().stream().map(PrimaryPlan::answer).forEach(texts::add);
    }
    var request = String.join("\n\n", news.requests());
    if (request.isBlank()) {
      return PlannedTurn.says(String.join("\n\n", texts));
    }
    texts.add("I delegate this to an explorer, who searches the workspace.");
    return new PlannedTurn(String.join("\n\n", texts), List.of(task(request)));
  }

  private static String answer(Exchange delegation) {
    if (delegation.failed()) {
      return "The request could not be delegated: " + delegation.text();
    }
    return delegation.text().contains("accepted")
        ? "An explorer works in the background; the answer follows when it is done."
        : summary(delegation.text());
  }

  private static PlannedTurn.PlannedCall task(String request) {
    return new PlannedTurn.PlannedCall(
        "task",
        JsonNodeFactory.instance
            .objectNode()
            .put("description", description(request))
            .put("prompt", request)
            .put("subagent_type", "explore")
            .put("background", true));
  }

  /** Returns a description of three to five words. */
  private static String description(String request) {
    var terms = String.join(" ", SearchTerms.in(request));
    var words = (terms.isBlank() ? "look around the workspace" : terms).strip().split("\\s+");
    var few = words.length < 3 ? Stream.of("look", "for") : Stream.<String>empty();
    return Stream.concat(few, Stream.of(words)).limit(LONGEST_DESCRIPTION).collect(joining(" "));
  }

  /** Lists the hits of a report, or passes on a result that contains none. */
  static String summary(String notice) {
    var hits = Hit.leading(notice);
    var result = RESULT.matcher(notice);
    var hasResult = result.find();
    var error = ERROR.matcher(hasResult ? notice.substring(0, result.start()) : notice);
    var failure = error.find() ? "The search failed: " + error.group(1) + ". " : "";
    if (hits.isEmpty()) {
      var text = hasResult ? result.group(1) : notice;
      return failure.isEmpty() ? text.strip() : failure.strip();
    }
    var places = hits.stream().map(hit -> "\n- " + hit).collect(joining());
    return failure + "Found " + Hit.count(hits, "place") + ":" + places;
  }
}
