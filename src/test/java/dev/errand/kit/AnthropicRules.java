package dev.errand.kit;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The rules by which Anthropic refuses a request with status 400. */
final class AnthropicRules {

  private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9_-]{1,64}");
  private static final Pattern ID = Pattern.compile("[a-zA-Z0-9_-]+");
  private static final int MAX_MARKS = 4;

  private final List<String> refusals = new ArrayList<>();
  private final Set<String> ids = new HashSet<>();

  private AnthropicRules() {}

  static List<String> refusals(JsonNode request) {
    var rules = new AnthropicRules();
    rules.checkTools(request);
    request.path("system").forEach(rules::checkText);
    for (var message : request.path("messages")) {
      rules.refuse(message.path("content").isEmpty(), "empty message", message);
      message.path("content").forEach(block -> rules.check(block, message));
    }
    var marks = request.findValues("cache_control").size();
    rules.refuse(marks > MAX_MARKS, "more than 4 cache marks", marks);
    return rules.refusals;
  }

  private void checkTools(JsonNode request) {
    var names = new HashSet<String>();
    for (var tool : request.path("tools")) {
      var name = tool.path("name").asText();
      refuse(!NAME.matcher(name).matches(), "tool name", name);
      refuse(!names.add(name), "two tools of one name", name);
      SchemaRules.refusals(tool.path("input_schema"))
          .forEach(refusal -> refuse(true, name, refusal));
    }
    var uses = request.path("messages").findValuesAsText("type");
    refuse(names.isEmpty() && uses.contains("tool_use"), "tool_use without tools", uses);
    refuse(request.has("tool_choice") && names.isEmpty(), "tool_choice without tools", request);
  }

  private void check(JsonNode block, JsonNode message) {
    var role = message.path("role").asText();
    switch (block.path("type").asText()) {
      case "text" -> checkText(block);
      case "tool_use" -> {
        refuse(!role.equals("assistant"), "tool_use of the user", message);
        checkId(block, block.path("id").asText());
        refuse(!ids.add(block.path("id").asText()), "tool_use ids must be unique", block);
        refuse(!NAME.matcher(block.path("name").asText()).matches(), "name of a call", block);
        refuse(!block.path("input").isObject(), "input of a call", block);
      }
      case "tool_result" -> {
        refuse(!role.equals("user"), "tool_result of the assistant", message);
        checkId(block, block.path("tool_use_id").asText());
      }
      case "thinking" ->
          refuse(block.path("signature").asText().isEmpty(), "unsigned thinking", block);
      case "redacted_thinking" -> {}
      default -> refuse(true, "unknown block", block);
    }
  }

  private void checkText(JsonNode block) {
    refuse(block.path("text").asText().isBlank(), "empty text", block);
  }

  private void checkId(JsonNode block, String id) {
    refuse(!ID.matcher(id).matches(), "id of a call", block);
  }

  private void refuse(boolean broken, String rule, Object value) {
    if (broken) {
      refusals.add(rule + ": " + value);
    }
  }
}
