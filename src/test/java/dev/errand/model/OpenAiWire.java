package dev.errand.model;

import dev.errand.tenant.ProviderCredentials;
import dev.errand.tenant.TenantModels;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The chat completions API of OpenAI.
 *
 * @param ofTenant whether the endpoint and the key are those of a tenant
 */
record OpenAiWire(boolean streaming, boolean ofTenant) implements Wire {

  OpenAiWire(boolean streaming) {
    this(streaming, false);
  }

  @Override
  public TenantModels tenant(String serverUrl) {
    var own = new ProviderCredentials("sk-secret", URI.create(serverUrl + "/v1"), null);
    return ofTenant ? new TenantModels(true, null, Map.of("openai", own)) : TenantModels.OF_SERVICE;
  }

  @Override
  public String model() {
    return "openai:gpt-test";
  }

  @Override
  public Map<String, String> properties(String serverUrl) {
    return Map.of(
        "errand.models.openai.base-url",
        serverUrl + "/v1",
        "errand.models.openai.api-key",
        "sk-secret");
  }

  @Override
  public String path() {
    return "/v1/chat/completions";
  }

  @Override
  public String contentType() {
    return streaming ? "text/event-stream; charset=utf-8" : "application/json";
  }

  @Override
  public String hello() {
    return streaming
        ? chunk("{\"role\":\"assistant\",\"content\":\"\",\"refusal\":null}", null)
            + chunk("{\"content\":\"Hello\"}", null)
            + chunk("{\"content\":\" there.\"}", null)
            + chunk("{}", "stop")
            + USAGE
            + "data: [DONE]\n\n"
        : whole("{\"role\":\"assistant\",\"content\":\"Hello there.\",\"refusal\":null}", "stop");
  }

  @Override
  public String twoCalls() {
    return streaming
        ? cut() + chunk("{}", "tool_calls") + USAGE + "data: [DONE]\n\n"
        : whole(
            """
            {"role":"assistant","content":"Looking.","refusal":null,"tool_calls":[
              {"id":"call_1","type":"function","function":{"name":"grep","arguments":"{\\"pattern\\":\\"x\\"}"}},
              {"id":"call_2","type":"function","function":{"name":"read","arguments":"{\\"file_path\\":\\"a.txt\\",\\"limit\\":5}"}}]}
            """,
            "tool_calls");
  }

  @Override
  public Optional<String> signedCalls() {
    return Optional.of(
        twoCalls()
            .replace("\"Looking.\"", "\"Looking.\",\"reasoning_content\":\"Let me see.\"")
            .replace(
                "\"id\":\"call_1\",",
                "\"id\":\"call_1\",\"extra_content\":{\"google\":{\"thought_signature\":\"sig\"}},"));
  }

  @Override
  public String empty() {
    return streaming
        ? chunk("{\"role\":\"assistant\",\"content\":\"\"}", null)
            + chunk("{}", "stop")
            + "data: [DONE]\n\n"
        : whole("{\"role\":\"assistant\",\"content\":null,\"refusal\":null}", "stop");
  }

  @Override
  public String cut() {
    return streaming
        ? chunk("{\"role\":\"assistant\",\"content\":\"Looking.\"}", null)
            + call(
                "{\"index\":0,\"id\":\"call_1\",\"type\":\"function\",\"function\":{\"name\":\"grep\",\"arguments\":\"\"}}")
            + call("{\"index\":0,\"function\":{\"arguments\":\"{\\\"pattern\\\":\"}}")
            + call("{\"index\":0,\"function\":{\"arguments\":\"\\\"x\\\"}\"}}")
            + call(
                "{\"index\":1,\"id\":\"call_2\",\"type\":\"function\",\"function\":{\"name\":\"read\",\"arguments\":\"\"}}")
            + call(
                "{\"index\":1,\"function\":{\"arguments\":\"{\\\"file_path\\\":\\\"a.txt\\\",\\\"limit\\\":5}\"}}")
        : twoCalls().substring(0, 200);
  }

  @Override
  public String error() {
    return """
    {"error":{"message":"Something is wrong with sk-secret","type":"some_error","param":null,"code":null}}\
    """;
  }

  @Override
  public String followUp() {
    return """
    {"messages":[
      {"role":"system","content":"Be brief."},
      {"role":"user","content":"Find x.\\n\\nQuickly."},
      {"role":"assistant","content":"Looking.","tool_calls":[
        {"id":"call_1","type":"function","function":{"name":"grep","arguments":"{\\"pattern\\":\\"x\\"}"}},
        {"id":"call_2","type":"function","function":{"name":"read","arguments":"{}"}}]},
      {"role":"tool","tool_call_id":"call_1","content":"a.txt:1:x"},
      {"role":"tool","tool_call_id":"call_2","content":"arguments must be an object"},
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

  private static final String USAGE =
      """
      data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763700000,"model":"gpt-test","choices":[],"usage":{"prompt_tokens":12,"completion_tokens":5,"total_tokens":17}}

      """;

  private static String call(String call) {
    return chunk("{\"tool_calls\":[" + call + "]}", null);
  }

  private static String chunk(String delta, @Nullable String finish) {
    return """
    data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763700000,"model":"gpt-test","system_fingerprint":"fp_1","choices":[{"index":0,"delta":%s,"logprobs":null,"finish_reason":%s}],"usage":null}

    """
        .formatted(delta, finish == null ? "null" : "\"" + finish + "\"");
  }

  private static String whole(String message, String finish) {
    return """
    {"id":"chatcmpl-1","object":"chat.completion","created":1763700000,"model":"gpt-test-2026-01-01",
     "choices":[{"index":0,"message":%s,"logprobs":null,"finish_reason":"%s"}],
     "usage":{"prompt_tokens":12,"completion_tokens":5,"total_tokens":17,
              "prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}},
     "service_tier":"default","system_fingerprint":"fp_1"}
    """
        .formatted(message, finish);
  }
}
