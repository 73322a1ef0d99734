package dev.errand.kit;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;

/** The rules by which OpenAI refuses a request with status 400. */
final class OpenAiRules {

  private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9_-]{1,64}");
  private static final int MAX_ID_CHARS = 40;
  private static final int MAX_TOOLS = 128;
  private static final int MAX_DESCRIPTION_CHARS = 1_024;

  private final List<String> refusals = new ArrayList<>();

  private OpenAiRules() {}

  static List<String> refusals(JsonNode request) {
    var rules = new OpenAiRules();
    rules.checkTools(request);
    request.path("messages").forEach(rules::check);
    return rules.refusals;
  }

  /** Why a tool is refused. */
  static List<String> refusalsOf(String tool, JsonNode description, JsonNode schema) {
    var refusals = new ArrayList<String>();
    if (description.asText().length() > MAX_DESCRIPTION_CHARS) {
      refusals.add("description of %s: string too long".formatted(tool));
    }
    SchemaRules.refusals(schema).forEach(refusal -> refusals.add(tool + ": " + refusal));
    return refusals;
  }

  private void checkTools(JsonNode request) {
    var names = new HashSet<String>();
    for (var tool : request.path("tools")) {
      var name = tool.at("/function/name").asText();
      refuse(!NAME.matcher(name).matches(), "tool name", name);
      refuse(!names.add(name), "two tools of one name", name);
      refusals.addAll(
          refusalsOf(name, tool.at("/function/description"), tool.at("/function/parameters")));
    }
    refuse(request.has("tools") && names.isEmpty(), "empty tools", request.path("tools"));
    refuse(names.size() > MAX_TOOLS, "too many tools", names);
    refuse(request.has("tool_choice") && names.isEmpty(), "tool_choice without tools", request);
  }

  private void check(JsonNode message) {
    var content = message.path("content");
    switch (message.path("role").asText()) {
      case "system", "user" -> refuse(isBlank(content), "empty message", message);
      case "assistant" -> {
        refuse(isBlank(content) && message.path("tool_calls").isEmpty(), "empty answer", message);
        refuse(
            message.has("tool_calls") && message.path("tool_calls").isEmpty(), "no calls", message);
        message.path("tool_calls").forEach(this::checkCall);
      }
      case "tool" -> refuse(!content.isTextual(), "result without a text", message);
      default -> refuse(true, "role", message);
    }
  }

  private void checkCall(JsonNode call) {
    var id = call.path("id").asText();
    refuse(id.isEmpty() || id.length() > MAX_ID_CHARS, "id of a call", call);
    refuse(!NAME.matcher(call.at("/function/name").asText()).matches(), "name of a call", call);
    refuse(!call.at("/function/arguments").isTextual(), "arguments of a call", call);
  }

  private static boolean isBlank(JsonNode content) {
    return content.isContainerNode() ? content.isEmpty() : content.asText("").isBlank();
  }

  private void refuse(boolean broken, String rule, Object value) {
    if (broken) {
      refusals.add(rule + ": " + value);
    }
  }
}
