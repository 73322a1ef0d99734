package dev.errand.model;

import java.util.Map;
import java.util.Optional;

/** The messages API of Anthropic. */
record AnthropicWire(boolean streaming) implements Wire {

  @Override
  public String model() {
    return "anthropic:claude-test";
  }

  @Override
  public Map<String, String> properties(String serverUrl) {
    return Map.of(
        "errand.models.anthropic.base-url",
        serverUrl,
        "errand.models.anthropic.api-key",
        "sk-secret");
  }

  @Override
  public String path() {
    return "/v1/messages";
  }

  @Override
  public String contentType() {
    return streaming ? "text/event-stream; charset=utf-8" : "application/json";
  }

  @Override
  public String hello() {
    return streaming
        ? START
            + event(
                "content_block_start",
                "\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}")
            + event("ping", "\"x\":0")
            + event(
                "content_block_delta",
                "\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello\"}")
            + event(
                "content_block_delta",
                "\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\" there.\"}")
            + event("content_block_stop", "\"index\":0")
            + end("end_turn")
        : whole("{\"type\":\"text\",\"text\":\"Hello there.\"}", "end_turn");
  }

  @Override
  public String twoCalls() {
    return streaming
        ? cut() + end("tool_use")
        : whole(
            """
            {"type":"text","text":"Looking."},
            {"type":"tool_use","id":"toolu_1","name":"grep","input":{"pattern":"x"}},
            {"type":"tool_use","id":"toolu_2","name":"read","input":{"file_path":"a.txt","limit":5}}\
            """,
            "tool_use");
  }

  @Override
  public Optional<String> signedCalls() {
    var thought = "{\"type\":\"thinking\",\"thinking\":\"%s\",\"signature\":\"%s\"}";
    var text = "{\"type\":\"text\",\"text\":\"Looking.\"}";
    var first = thought.formatted("", "");
    return Optional.of(
        streaming
            ? START
                + event("content_block_start", "\"index\":9,\"content_block\":" + first)
                + event(
                    "content_block_delta",
                    "\"index\":9,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"Let me see.\"}")
                + event(
                    "content_block_delta",
                    "\"index\":9,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"sig\"}")
                + event("content_block_stop", "\"index\":9")
                + twoCalls().substring(START.length())
            : twoCalls().replace(text, thought.formatted("Let me see.", "sig") + "," + text));
  }

  @Override
  public String empty() {
    return streaming ? START + end("end_turn") : whole("", "end_turn");
  }

  @Override
  public String cut() {
    return streaming
        ? START
            + event(
                "content_block_start",
                "\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}")
            + event(
                "content_block_delta",
                "\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Looking.\"}")
            + event("content_block_stop", "\"index\":0")
            + event(
                "content_block_start",
                "\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"grep\",\"input\":{}}")
            + input(1, "{\\\"pattern\\\":")
            + input(1, "\\\"x\\\"}")
            + event("content_block_stop", "\"index\":1")
            + event(
                "content_block_start",
                "\"index\":2,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_2\",\"name\":\"read\",\"input\":{}}")
            + input(2, "{\\\"file_path\\\":\\\"a.txt\\\",\\\"limit\\\":5}")
            + event("content_block_stop", "\"index\":2")
        : twoCalls().substring(0, 200);
  }

  @Override
  public String error() {
    return """
    {"type":"error","error":{"type":"some_error","message":"Something is wrong with sk-secret"},"request_id":"req_1"}\
    """;
  }

  @Override
  public String followUp() {
    return """
    {"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],
     "messages":[
      {"role":"user","content":[{"type":"text","text":"Find x.\\n\\nQuickly.","cache_control":{"type":"ephemeral"}}]},
      {"role":"assistant","content":[
        {"type":"text","text":"Looking."},
        {"type":"tool_use","id":"call_1","name":"grep","input":{"pattern":"x"}},
        {"type":"tool_use","id":"call_2","name":"read","input":{}}]},
      {"role":"user","content":[
        {"type":"tool_result","tool_use_id":"call_1","content":"a.txt:1:x"},
        {"type":"tool_result","tool_use_id":"call_2","content":"arguments must be an object","is_error":true}]},
      {"role":"user","content":[{"type":"text","text":"And now?","cache_control":{"type":"ephemeral"}}]}]}
    """;
  }

  @Override
  public String tool() {
    return """
    {"name":"grep","description":"Searches.","input_schema":%s,"cache_control":{"type":"ephemeral"}}\
    """
        .formatted(ProviderReplyTest.SCHEMA);
  }

  private static final String START =
      event(
          "message_start",
          "\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[],"
              + "\"model\":\"claude-test\",\"stop_reason\":null,\"stop_sequence\":null,"
              + "\"usage\":{\"input_tokens\":12,\"output_tokens\":1}}");

  private static String input(int index, String json) {
    return event(
        "content_block_delta",
        "\"index\":%d,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"%s\"}"
            .formatted(index, json));
  }

  private static String end(String stopReason) {
    return event(
            "message_delta",
            "\"delta\":{\"stop_reason\":\"%s\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":5}"
                .formatted(stopReason))
        + event("message_stop", "\"x\":0").replace(",\"x\":0", "");
  }

  private static String event(String type, String rest) {
    return "event: %s\ndata: {\"type\":\"%s\",%s}\n\n".formatted(type, type, rest);
  }

  private static String whole(String content, String stopReason) {
    return """
    {"id":"msg_1","type":"message","role":"assistant","model":"claude-test-20260101","content":[%s],
     "stop_reason":"%s","stop_sequence":null,
     "usage":{"input_tokens":12,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":5}}
    """
        .formatted(content, stopReason);
  }
}
