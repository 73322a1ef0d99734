package demo;

import static java.util.stream.Collectors.joining;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Formats messages and tool calls as short lines of text. */
final class MessageFormat {

  private static final int ARGUMENT_WIDTH = 48;
  private static final String CALL = "%-6s %-" + ARGUMENT_WIDTH + "s %s";
  private static final int LONGEST_LINE = 90;

  /** The most telling arguments of the built-in tools. */
  private static final List<String> MAIN_ARGUMENTS =
      List.of("pattern", "file_path", "path", "task_id", "description");

  private MessageFormat() {}

  static String text(JsonNode message) {
    return parts(message, "text").map(part -> part.path("text").asText()).collect(joining("\n"));
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

  /** A tool call and its result. */
  record Outcome(JsonNode call, JsonNode result) {

    private boolean isError() {
      return result.path("is_error").asBoolean();
    }

    private String text() {
      return result.path("text").asText();
    }

    /** Its argument without directories. */
    private String name() {
      return argument(call).replaceFirst("^.*/(?=.)", "");
    }
  }

  /** Calls of one tool and their outcome: {@code grep status, code ok, 31 lines}. */
  static String outcome(List<Outcome> calls) {
    var tool = calls.getFirst().call().path("name").asText();
    var arguments =
        calls.size() == 1
            ? endOf(argument(calls.getFirst().call()))
            : beginningOf(calls.stream().map(Outcome::name).distinct().collect(joining(", ")));
    var error = calls.stream().filter(Outcome::isError).findFirst();
    var lines = calls.stream().mapToLong(call -> call.text().lines().count()).sum();
    return CALL.formatted(
        tool,
        arguments,
        error.isPresent() ? "error: " + oneLine(error.get().text()) : "ok, " + lines(lines));
  }

  private static String lines(long count) {
    return count == 1 ? "1 line" : count + " lines";
  }

  private static String argument(JsonNode call) {
    var arguments = call.path("arguments");
    var main =
        MAIN_ARGUMENTS.stream()
            .filter(arguments::hasNonNull)
            .findFirst()
            .map(name -> arguments.path(name).asText())
            .orElse(arguments.isEmpty() ? "" : arguments.toString());
    return main.replaceAll("\\s+", " ");
  }

  /** The end of a path is more useful than its beginning. */
  private static String endOf(String text) {
    return text.length() <= ARGUMENT_WIDTH
        ? text
        : "…" + text.substring(text.length() - ARGUMENT_WIDTH + 1);
  }

  private static String beginningOf(String text) {
    return text.length() <= ARGUMENT_WIDTH ? text : text.substring(0, ARGUMENT_WIDTH - 1) + "…";
  }

  static String firstLine(String text) {
    var lines = text.strip().lines().toList();
    var first = oneLine(lines.getFirst());
    return lines.size() == 1 || first.endsWith("…") ? first : first + " …";
  }

  private static String oneLine(String text) {
    var line = text.strip().replaceAll("\\s*\\R\\s*", " ");
    return line.length() <= LONGEST_LINE ? line : line.substring(0, LONGEST_LINE - 2) + " …";
  }

  /** The task that a notice is about, and its status. */
  static String notice(String text) {
    return text.lines()
        .filter(line -> line.startsWith("task_id: ") || line.startsWith("status: "))
        .map(line -> line.substring(line.indexOf(' ') + 1))
        .collect(joining(" "));
  }
}
