package demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Reads messages and tool calls for people. */
final class Words {

  private static final int LONGEST_ARGUMENT = 60;

  /** The argument that says the most, of the tools that come with Errand. */
  private static final List<String> MAIN_ARGUMENTS =
      List.of("pattern", "file_path", "path", "task_id", "description");

  private Words() {}

  static String text(JsonNode message) {
    return parts(message, "text")
        .map(part -> part.path("text").asText())
        .collect(Collectors.joining("\n"));
  }

  static List<JsonNode> calls(JsonNode message) {
    return parts(message, "tool_call").toList();
  }

  static List<JsonNode> results(JsonNode message) {
    return parts(message, "tool_result").toList();
  }

  private static Stream<JsonNode> parts(JsonNode message, String type) {
    return StreamSupport.stream(message.path("content").spliterator(), false)
        .filter(part -> part.path("type").asText().equals(type));
  }

  /** One tool call and what came of it: {@code grep   status    ok, 31 lines}. */
  static String outcome(JsonNode call, JsonNode result) {
    var text = result.path("text").asText();
    var outcome =
        result.path("is_error").asBoolean()
            ? "error: " + Screen.oneLine(text, LONGEST_ARGUMENT)
            : "ok, %d lines".formatted(text.lines().count());
    return "%-6s %-45s %s".formatted(call.path("name").asText(), argument(call), outcome);
  }

  private static String argument(JsonNode call) {
    var arguments = call.path("arguments");
    var main =
        MAIN_ARGUMENTS.stream()
            .filter(arguments::hasNonNull)
            .findFirst()
            .map(name -> arguments.path(name).asText())
            .orElse(arguments.isEmpty() ? "" : arguments.toString());
    return Screen.oneLine(main, LONGEST_ARGUMENT);
  }

  /** Which task a notice is about, and how it ended. */
  static String notice(String text) {
    return text.lines()
        .filter(line -> line.startsWith("task_id: ") || line.startsWith("status: "))
        .map(line -> line.substring(line.indexOf(' ') + 1))
        .collect(Collectors.joining(" "));
  }
}
