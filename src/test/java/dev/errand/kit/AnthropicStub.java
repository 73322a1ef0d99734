package dev.errand.kit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The wire format of the Anthropic Messages API. */
public final class AnthropicStub implements StubWire {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @Override
  public String path() {
    return "/v1/messages";
  }

  @Override
  public String model() {
    return "anthropic:claude-test";
  }

  @Override
  public Map<String, String> environment(String url) {
    return Map.of(
        "ERRAND_MODEL", model(), "ANTHROPIC_BASE_URL", url, "ANTHROPIC_API_KEY", "sk-test");
  }

  @Override
  public List<Turn> turns(JsonNode request) {
    var turns = new ArrayList<Turn>();
    for (var message : request.get("messages")) {
      var text = new StringBuilder();
      var calls = new ArrayList<String>();
      var answers = new ArrayList<String>();
      var content = message.get("content");
      text.append(text(content));
      for (var block : content) {
        switch (block.path("type").asText()) {
          case "text" -> {}
          case "tool_use" -> calls.add(block.get("id").asText());
          case "tool_result" -> {
            answers.add(block.get("tool_use_id").asText());
            text.append(text(block.path("content")));
          }
          default -> throw new AssertionError("unknown block " + block);
        }
      }
      turns.add(new Turn(message.get("role").asText(), text.toString(), calls, answers));
    }
    return turns;
  }

  /** Content is either a text or a list of blocks, some of which are texts. */
  private static String text(JsonNode content) {
    var text = new StringBuilder(content.asText());
    content.forEach(block -> text.append(block.path("text").asText()));
    return text.toString();
  }

  @Override
  public List<String> tools(JsonNode request) {
    var tools = new ArrayList<String>();
    request.path("tools").forEach(tool -> tools.add(tool.get("name").asText()));
    return tools;
  }

  @Override
  public List<String> refusals(JsonNode request) {
    var refusals = new ArrayList<>(AnthropicRules.refusals(request));
    refusals.addAll(Conversations.violations(turns(request)));
    return refusals;
  }

  @Override
  public String answer(StubEndpoint.Answer answer) {
    var reply = JSON.createObjectNode();
    reply.put("id", "msg_1").put("type", "message").put("role", "assistant");
    reply.put("model", "claude-test");
    var content = reply.putArray("content");
    if (!answer.text().isEmpty()) {
      content.addObject().put("type", "text").put("text", answer.text());
    }
    for (var call : answer.calls()) {
      var block = content.addObject();
      block.put("type", "tool_use").put("id", call.id()).put("name", call.tool());
      block.set("input", JSON.valueToTree(call.arguments()));
    }
    var stop = answer.calls().isEmpty() ? "end_turn" : "tool_use";
    reply.put("stop_reason", answer.cut() ? "max_tokens" : stop);
    reply.putNull("stop_sequence");
    reply
        .putObject("usage")
        .put("input_tokens", 3)
        .put("cache_creation_input_tokens", 1)
        .put("cache_read_input_tokens", 8)
        .put("output_tokens", 5);
    return reply.toString();
  }
}
