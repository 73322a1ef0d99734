package dev.errand.model.offline;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A primary's turns: hands each request to an explorer and passes on what comes back. */
final class Delegation {

  private static final int LONGEST_DESCRIPTION = 5;

  private final Transcript transcript;

  Delegation(Transcript transcript) {
    this.transcript = transcript;
  }

  Step next() {
    var news = transcript.news();
    if (news.isEmpty()) {
      return Step.says(paragraphs(transcript.lastResults().stream().map(Delegation::accepted)));
    }
    var found = news.stream().filter(Transcript::isNotice).map(Message::text).map(Summary::of);
    var request = paragraphs(news.stream().filter(Transcript::isRequest).map(Message::text));
    if (request.isEmpty()) {
      return Step.says(paragraphs(found));
    }
    var handingOver = "I hand this to an explorer, who searches the workspace.";
    return new Step(
        paragraphs(Stream.concat(found, Stream.of(handingOver))), List.of(task(request)));
  }

  private static String accepted(Content.ToolResult result) {
    if (result.isError()) {
      return "The request could not be delegated: " + result.text().strip();
    }
    return result.text().contains("accepted")
        ? "An explorer is at work in the background; the answer follows as soon as it is there."
        : Summary.of(result.text());
  }

  private static Step.Call task(String request) {
    var arguments =
        JsonNodeFactory.instance
            .objectNode()
            .put("description", description(request))
            .put("prompt", request)
            .put("subagent_type", "explore")
            .put("background", true);
    return new Step.Call("task", arguments);
  }

  /** Three to five words. */
  private static String description(String request) {
    var words = new ArrayList<>(Words.of(request).stream().map(Word::said).toList());
    if (words.isEmpty()) {
      return "look around the workspace";
    }
    if (words.size() < 3) {
      words.addAll(0, List.of("look", "for"));
    }
    return words.stream()
        .flatMap(word -> Stream.of(word.split("\\s+")))
        .limit(LONGEST_DESCRIPTION)
        .collect(Collectors.joining(" "));
  }

  private static String paragraphs(Stream<String> texts) {
    return texts.collect(Collectors.joining("\n\n"));
  }
}
