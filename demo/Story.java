package demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Puts events into words, and remembers how it all ended. */
final class Story {

  private static final String PRIMARY = "primary";

  private final Screen screen;
  private final Map<String, JsonNode> openCalls = new HashMap<>();
  private final List<String> failures = new ArrayList<>();
  private Optional<Instant> beganAt = Optional.empty();
  private String answer = "";

  Story(Screen screen) {
    this.screen = screen;
  }

  /** A message of the primary agent's transcript. */
  void parent(JsonNode message) {
    var text = Words.text(message);
    switch (message.path("role").asText()) {
      case "user" -> heard(message, text);
      case "assistant" -> said(message, text);
      case "tool" -> Words.results(message).forEach(result -> refusedDelegation(message, result));
      case "system" -> failed(message, text);
      default -> tell(message, PRIMARY, text);
    }
  }

  private void heard(JsonNode message, String text) {
    if (message.path("kind").asText().equals("notice")) {
      tell(message, PRIMARY, "resumed by the notice: " + Words.notice(text));
    } else {
      tell(message, "user", "prompt read by the primary agent");
    }
  }

  private void said(JsonNode message, String text) {
    begin(message);
    if (!text.isBlank()) {
      tell(message, PRIMARY, "says: " + Words.firstLine(text));
      answer = text;
    }
  }

  /** Accepted delegations are told with their tasks; what else its tools did is told here. */
  private void refusedDelegation(JsonNode message, JsonNode result) {
    var call = openCalls.remove(key(message, result.path("tool_call_id")));
    if (call != null && (isError(result) || !call.path("name").asText().equals("task"))) {
      tell(message, PRIMARY, Words.outcome(call, result));
    }
  }

  private void failed(JsonNode message, String text) {
    tell(message, PRIMARY, text);
    failures.add("the primary agent could not go on: " + text);
  }

  void delegated(JsonNode task) {
    var way = task.path("background").asBoolean() ? "in the background" : "and waits for it";
    tell(
        task.path("created_at"),
        PRIMARY,
        "delegates to %s %s: \"%s\" (%s)"
            .formatted(
                task.path("subagent_type").asText(),
                way,
                task.path("description").asText(),
                task.path("id").asText()));
  }

  void started(JsonNode task) {
    tell(task.path("started_at"), task.path("subagent_type").asText(), "running");
  }

  /** A message of a child's transcript. */
  void child(String agent, JsonNode message) {
    switch (message.path("role").asText()) {
      case "assistant" -> childSaid(agent, message);
      case "tool" -> Words.results(message).forEach(result -> childDid(agent, message, result));
      case "system" -> tell(message, agent, Words.text(message));
      default -> {}
    }
  }

  /** Its last words are its result and come back with the answer; those before a call are told. */
  private void childSaid(String agent, JsonNode message) {
    begin(message);
    if (!Words.calls(message).isEmpty() && !Words.text(message).isBlank()) {
      tell(message, agent, "says: " + Words.firstLine(Words.text(message)));
    }
  }

  private void childDid(String agent, JsonNode message, JsonNode result) {
    var call = openCalls.remove(key(message, result.path("tool_call_id")));
    if (call != null) {
      tell(message, agent, Words.outcome(call, result));
    }
  }

  private void begin(JsonNode message) {
    Words.calls(message).forEach(call -> openCalls.put(key(message, call.path("id")), call));
  }

  /** Two sessions may use the same id for a call. */
  private static String key(JsonNode message, JsonNode callId) {
    return message.path("session_id").asText() + " " + callId.asText();
  }

  void ended(JsonNode task) {
    var agent = task.path("subagent_type").asText();
    var state = task.path("state").asText();
    var usage = task.path("usage");
    tell(
        task.path("ended_at"),
        agent,
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
    return count == 0 ? "" : ", taken over %d× after its worker died".formatted(count);
  }

  /**
   * Shows the answer.
   *
   * @throws DemoFailure there is none, or something failed on the way
   */
  void end() {
    if (!answer.isEmpty()) {
      screen.block("answer", answer);
    }
    if (!failures.isEmpty()) {
      throw new DemoFailure(String.join("\n  and ", failures));
    }
    if (answer.isEmpty()) {
      throw new DemoFailure("the agent came to rest without an answer.");
    }
  }

  private static boolean isError(JsonNode result) {
    return result.path("is_error").asBoolean();
  }

  private void tell(JsonNode messageOrTime, String who, String text) {
    var time = messageOrTime.isTextual() ? messageOrTime : messageOrTime.path("created_at");
    var at = Instant.parse(time.asText());
    var began = beganAt.orElse(at);
    beganAt = Optional.of(began);
    screen.happened(Duration.between(began, at), who, text);
  }
}
