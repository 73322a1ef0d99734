package dev.errand.kit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/**
 * The OpenAI Chat Completions API as an agent of others uses it: with answers as streams of chunks,
 * and with requests that are not ours to judge.
 */
public final class StreamedOpenAi implements StubWire {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final OpenAiStub whole = new OpenAiStub();

  @Override
  public String path() {
    return whole.path();
  }

  @Override
  public String model() {
    return whole.model();
  }

  @Override
  public String contentType() {
    return "text/event-stream";
  }

  @Override
  public Map<String, String> environment(String url) {
    return Map.of("OPENAI_BASE_URL", url + "/v1");
  }

  @Override
  public List<Turn> turns(JsonNode request) {
    return whole.turns(request);
  }

  @Override
  public List<String> tools(JsonNode request) {
    return whole.tools(request);
  }

  @Override
  public List<String> refusals(JsonNode request) {
    return List.of();
  }

  /** The message in one chunk, and a chunk that says why it ends. */
  @Override
  public String answer(StubEndpoint.Answer answer) {
    var completion = read(whole.answer(answer));
    completion.put("object", "chat.completion.chunk");
    var choice = (ObjectNode) completion.at("/choices/0");
    var delta = choice.remove("message");
    var calls = delta.path("tool_calls");
    for (int index = 0; index < calls.size(); index++) {
      ((ObjectNode) calls.get(index)).put("index", index);
    }
    var reason = choice.remove("finish_reason");
    choice.set("delta", delta);
    var first = event(completion);
    choice.putObject("delta");
    choice.set("finish_reason", reason);
    return first + event(completion) + "data: [DONE]\n\n";
  }

  private static ObjectNode read(String completion) {
    try {
      return (ObjectNode) JSON.readTree(completion);
    } catch (JsonProcessingException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  private static String event(ObjectNode chunk) {
    return "data: " + chunk + "\n\n";
  }
}
