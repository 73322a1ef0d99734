package dev.errand.kit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The wire format of the OpenAI Chat Completions API. */
public final class OpenAiStub implements StubWire {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @Override
  public String path() {
    return "/v1/chat/completions";
  }

  @Override
  public String model() {
    return "openai:gpt-test";
  }

  @Override
  public Map<String, String> environment(String url) {
    return Map.of(
        "ERRAND_MODEL", model(), "OPENAI_BASE_URL", url + "/v1", "OPENAI_API_KEY", "sk-test");
  }

  @Override
  public List<Turn> turns(JsonNode request) {
    var turns = new ArrayList<Turn>();
    for (var message : request.get("messages")) {
      var role = message.get("role").asText();
      if (!role.equals("system")) {
        turns.add(turn(role, message));
      }
    }
    return turns;
  }

  private static Turn turn(String role, JsonNode message) {
    var calls = new ArrayList<String>();
    message.path("tool_calls").forEach(call -> calls.add(call.get("id").asText()));
    var answers =
        role.equals("tool") ? List.of(message.get("tool_call_id").asText()) : List.<String>of();
    return new Turn(role, text(message.path("content")), calls, answers);
  }

  private static String text(JsonNode content) {
    var text = new StringBuilder(content.isTextual() ? content.asText() : "");
    content.forEach(part -> text.append(part.path("text").asText()));
    return text.toString();
  }

  @Override
  public List<String> tools(JsonNode request) {
    var tools = new ArrayList<String>();
    request.path("tools").forEach(tool -> tools.add(tool.at("/function/name").asText()));
    return tools;
  }

  @Override
  public List<String> refusals(JsonNode request) {
    var refusals = new ArrayList<>(OpenAiRules.refusals(request));
    refusals.addAll(Conversations.violations(turns(request)));
    return refusals;
  }

  @Override
  public String answer(StubEndpoint.Answer answer) {
    var message = JSON.createObjectNode();
    message.put("role", "assistant");
    message.put("content", answer.text());
    if (!answer.calls().isEmpty()) {
      var calls = message.putArray("tool_calls");
      for (var call : answer.calls()) {
        calls
            .addObject()
            .put("id", call.id())
            .put("type", "function")
            .putObject("function")
            .put("name", call.tool())
            .put("arguments", JSON.valueToTree(call.arguments()).toString());
      }
    }
    var reply = JSON.createObjectNode();
    reply.put("id", "chatcmpl-1").put("object", "chat.completion").put("created", 1763700000);
    reply.put("model", "gpt-test");
    var choice = reply.putArray("choices").addObject();
    choice.put("index", 0).set("message", message);
    var finish = answer.calls().isEmpty() ? "stop" : "tool_calls";
    choice.put("finish_reason", answer.cut() ? "length" : finish);
    reply
        .putObject("usage")
        .put("prompt_tokens", 12)
        .put("completion_tokens", 5)
        .put("total_tokens", 17)
        .putObject("prompt_tokens_details")
        .put("cached_tokens", 8);
    return reply.toString();
  }
}
