package demo;

import com.fasterxml.jackson.databind.JsonNode;
import demo.MessageFormat.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Prints what happens, and keeps the answer and the failures for the end. */
final class Narrator {

  private static final String PRIMARY = "primary";

  private final Screen screen;
  private final Map<String, JsonNode> openCalls = new HashMap<>();
  private final List<String> failures = new ArrayList<>();
  private Optional<Instant> startedAt = Optional.empty();
  private String answer = "";

  Narrator(Screen screen) {
    this.screen = screen;
  }

  /** What the demo itself does now. */
  void demo(String text) {
    print(Instant.now(), "demo", text);
  }

  /** A message of the primary agent's transcript. */
  void primary(Instant at, JsonNode message) {
    var text = MessageFormat.text(message);
    switch (message.path("role").asText()) {
      case "user" -> primaryReads(at, message, text);
      case "assistant" -> primarySays(at, message, text);
      case "tool" ->
          MessageFormat.results(message).forEach(result -> primaryCalled(at, message, result));
      case "system" -> {
        print(at, PRIMARY, text);
        failures.add("the primary agent failed: " + text);
      }
      default -> {}
    }
  }

  private void primaryReads(Instant at, JsonNode message, String text) {
    if (message.path("kind").asText().equals("notice")) {
      print(at, PRIMARY, "resumed by the notice: " + MessageFormat.notice(text));
    } else {
      print(at, "user", "prompt read by the primary agent");
    }
  }

  private void primarySays(Instant at, JsonNode message, String text) {
    keepCalls(message);
    if (!text.isBlank()) {
      print(at, PRIMARY, "says: " + MessageFormat.firstLine(text));
      answer = text;
    }
  }

  /** Accepted delegations have an event of their own; other calls are printed here. */
  private void primaryCalled(Instant at, JsonNode message, JsonNode result) {
    var call = openCalls.remove(key(message, result.path("tool_call_id")));
    var isError = result.path("is_error").asBoolean();
    if (call != null && (isError || !call.path("name").asText().equals("task"))) {
      print(at, PRIMARY, MessageFormat.outcome(List.of(new Outcome(call, result))));
    }
  }

  void delegated(Instant at, JsonNode task) {
    print(
        at,
        PRIMARY,
        "delegates to %s %s: \"%s\""
            .formatted(
                task.path("subagent_type").asText(),
                task.path("background").asBoolean() ? "in the background" : "and waits for it",
                task.path("description").asText()));
  }

  void started(Instant at, String agent) {
    print(at, agent, "running");
  }

  void takenOver(Instant at, String agent) {
    print(at, agent, "its worker died; continues after its last saved turn");
  }

  /** A message of a child's transcript. */
  void child(Instant at, String agent, JsonNode message) {
    switch (message.path("role").asText()) {
      case "assistant" -> childSays(at, agent, message);
      case "tool" -> childCalled(at, agent, message);
      case "system" -> print(at, agent, MessageFormat.text(message));
      default -> {}
    }
  }

  /** The last text of a child is its result, which the primary agent reports. */
  private void childSays(Instant at, String agent, JsonNode message) {
    keepCalls(message);
    var text = MessageFormat.text(message);
    if (!MessageFormat.calls(message).isEmpty() && !text.isBlank()) {
      print(at, agent, "says: " + MessageFormat.firstLine(text));
    }
  }

  /** Calls of one tool are one line. */
  private void childCalled(Instant at, String agent, JsonNode message) {
    var byTool = new LinkedHashMap<String, List<Outcome>>();
    for (var result : MessageFormat.results(message)) {
      var call = openCalls.remove(key(message, result.path("tool_call_id")));
      if (call != null) {
        byTool
            .computeIfAbsent(call.path("name").asText(), tool -> new ArrayList<>())
            .add(new Outcome(call, result));
      }
    }
    byTool.values().forEach(calls -> print(at, agent, MessageFormat.outcome(calls)));
  }

  private void keepCalls(JsonNode message) {
    MessageFormat.calls(message)
        .forEach(call -> openCalls.put(key(message, call.path("id")), call));
  }

  /** Call ids are unique only within a session. */
  private static String key(JsonNode message, JsonNode callId) {
    return message.path("session_id").asText() + " " + callId.asText();
  }

  void ended(Instant at, JsonNode task) {
    var state = task.path("state").asText();
    var usage = task.path("usage");
    print(
        at,
        task.path("subagent_type").asText(),
        "%s after %d ms: %d turns, %d tool calls, attempt %d%s"
            .formatted(
                state,
                task.path("run_ms").asLong(),
                usage.path("turns").asLong(),
                usage.path("tool_calls").asLong(),
                task.path("attempts").asLong(),
                takeovers(task)));
    if (!state.equals("completed")) {
      var error = task.path("error");
      failures.add(
          "the task \"%s\" %s (%s): %s"
              .formatted(
                  task.path("description").asText(),
                  state,
                  error.path("code").asText(),
                  error.path("message").asText()));
    }
  }

  private static String takeovers(JsonNode task) {
    var count = task.path("takeovers").asLong();
    return count == 0 ? "" : ", taken over %d×".formatted(count);
  }

  /**
   * Prints the answer.
   *
   * @throws DemoFailure there is no answer, or something failed
   */
  void end() {
    if (!answer.isEmpty()) {
      screen.block("answer", answer);
    }
    if (!failures.isEmpty()) {
      throw new DemoFailure(String.join("\n  and ", failures));
    }
    if (answer.isEmpty()) {
      throw new DemoFailure("the agent ended without an answer.");
    }
  }

  private void print(Instant at, String who, String text) {
    startedAt = startedAt.or(() -> Optional.of(at));
    screen.event(Duration.between(startedAt.get(), at), who, text);
  }
}
