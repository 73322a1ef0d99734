package dev.errand.model;

import java.util.Map;

/** The chat API of Ollama. Older versions send no id and no index with calls. */
record OllamaWire(boolean streaming) implements Wire {

  private static final String CALLS =
      """
      [{"function":{"name":"grep","arguments":{"pattern":"x"}}},{"function":{"name":"read","arguments":{"file_path":"a.txt","limit":5}}}]\
      """;

  @Override
  public String model() {
    return "ollama:llama3:8b";
  }

  @Override
  public Map<String, String> properties(String serverUrl) {
    return Map.of("errand.models.ollama.base-url", serverUrl);
  }

  @Override
  public String path() {
    return "/api/chat";
  }

  @Override
  public String contentType() {
    return streaming ? "application/x-ndjson" : "application/json; charset=utf-8";
  }

  @Override
  public String hello() {
    return streaming
        ? part("\"content\":\"Hello\"") + part("\"content\":\" there.\"") + end("\"content\":\"\"")
        : end("\"content\":\"Hello there.\"");
  }

  @Override
  public String twoCalls() {
    return streaming
        ? cut() + end("\"content\":\"\"")
        : end("\"content\":\"Looking.\",\"tool_calls\":" + CALLS);
  }

  @Override
  public String empty() {
    return end("\"content\":\"\"");
  }

  @Override
  public String cut() {
    return streaming
        ? part("\"content\":\"Looking.\"") + part("\"content\":\"\",\"tool_calls\":" + CALLS)
        : twoCalls().substring(0, 200);
  }

  @Override
  public String error() {
    return "{\"error\":\"Something is wrong\"}";
  }

  @Override
  public String followUp() {
    return """
    {"messages":[
      {"role":"system","content":"Be brief."},
      {"role":"user","content":"Find x.\\n\\nQuickly."},
      {"role":"assistant","content":"Looking.","tool_calls":[
        {"id":"call_1","function":{"name":"grep","arguments":{"pattern":"x"}}},
        {"id":"call_2","function":{"name":"read","arguments":{}}}]},
      {"role":"tool","tool_name":"grep","content":"a.txt:1:x"},
      {"role":"tool","tool_name":"read","content":"arguments must be an object"},
      {"role":"user","content":"And now?"}]}
    """;
  }

  @Override
  public String tool() {
    return """
    {"type":"function","function":{"name":"grep","description":"Searches.","parameters":%s}}\
    """
        .formatted(ProviderReplyTest.SCHEMA);
  }

  private static String part(String message) {
    return """
    {"model":"llama3:8b","created_at":"2026-01-01T00:00:00.000000Z","message":{"role":"assistant",%s},"done":false}
    """
        .formatted(message);
  }

  private static String end(String message) {
    return """
    {"model":"llama3:8b","created_at":"2026-01-01T00:00:01.000000Z","message":{"role":"assistant",%s},"done_reason":"stop","done":true,"total_duration":181553584,"load_duration":27906292,"prompt_eval_count":12,"prompt_eval_duration":109000000,"eval_count":5,"eval_duration":42000000}
    """
        .formatted(message);
  }
}
