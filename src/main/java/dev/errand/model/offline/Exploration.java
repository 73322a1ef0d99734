package dev.errand.model.offline;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.model.offline.Transcript.Exchange;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * An explorer's turns: one search per word of the request side by side, then the best places read
 * side by side, then the report. A request without words gets a look at the tree.
 */
final class Exploration {

  private static final int MOST_LINES = 300;

  private final Transcript transcript;
  private final Set<String> tools;

  Exploration(Transcript transcript, Set<String> tools) {
    this.transcript = transcript;
    this.tools = tools;
  }

  Step next() {
    var done = transcript.sinceRequest().exchanges();
    if (done.isEmpty()) {
      return begin();
    }
    if (done.stream().anyMatch(exchange -> exchange.of("read"))) {
      return report(done);
    }
    if (done.stream().anyMatch(exchange -> exchange.of("grep"))) {
      return read(done);
    }
    return Step.says(Tree.described(done));
  }

  private Step begin() {
    var words = Words.of(transcript.request());
    if (!words.isEmpty()) {
      return new Step(
          "I search for %s.".formatted(said(words)),
          words.stream().map(Exploration::search).toList());
    }
    var noWords = "The request names nothing to search for, so I look at what is there.";
    if (tools.contains("list")) {
      return new Step(noWords, List.of(new Step.Call("list", object())));
    }
    if (tools.contains("glob")) {
      return new Step(noWords, List.of(new Step.Call("glob", object().put("pattern", "**/*"))));
    }
    return Step.says(
        "The request names nothing to search for, and there is no tool to look around.");
  }

  /** {@code {pattern, case_insensitive: true, output_mode: "content", head_limit: 300}}. */
  private static Step.Call search(Word word) {
    return new Step.Call(
        "grep",
        object()
            .put("pattern", word.pattern())
            .put("case_insensitive", true)
            .put("output_mode", "content")
            .put("head_limit", MOST_LINES));
  }

  private Step read(List<Exchange> done) {
    var excerpts = Excerpt.around(findings(done).best());
    if (excerpts.isEmpty() || !tools.contains("read")) {
      return report(done);
    }
    return new Step("I read the best matches.", excerpts.stream().map(Exploration::look).toList());
  }

  /** {@code {file_path, offset, limit}}. */
  private static Step.Call look(Excerpt excerpt) {
    return new Step.Call(
        "read",
        object()
            .put("file_path", excerpt.path())
            .put("offset", excerpt.first())
            .put("limit", excerpt.last() - excerpt.first() + 1));
  }

  private Step report(List<Exchange> done) {
    return Step.says(new Report(findings(done), done).text());
  }

  private Findings findings(List<Exchange> done) {
    return Findings.of(done, Words.of(transcript.request()));
  }

  private static String said(List<Word> words) {
    return words.stream().map(word -> "\"" + word.said() + "\"").collect(Collectors.joining(", "));
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }
}
