package dev.errand.session;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.TextCut;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** What a tool call is about, in one line for people: its most telling argument. */
final class CallTitle {

  private static final int MAX_CHARS = 120;

  /** The most telling first. */
  private static final List<String> TELLING =
      List.of("description", "label", "command", "file_path", "pattern", "url", "query", "name");

  private CallTitle() {}

  /** The name of the tool if no argument is a text. */
  static String of(Content.ToolCall call) {
    var arguments = call.arguments();
    var line =
        Stream.concat(
                TELLING.stream().map(arguments::path),
                StreamSupport.stream(arguments.spliterator(), false))
            .filter(JsonNode::isTextual)
            .map(text -> TextCut.head(text.textValue(), 10 * MAX_CHARS).strip())
            .filter(text -> !text.isEmpty())
            .findFirst()
            .orElse(call.name());
    return TextCut.withEllipsis(line.replaceAll("\\s+", " "), MAX_CHARS);
  }
}
