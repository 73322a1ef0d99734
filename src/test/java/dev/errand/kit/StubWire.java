package dev.errand.kit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.model.ModelRequest;
import dev.errand.model.SentRequests;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The wire format of one provider. */
public interface StubWire {

  /** The path that requests are posted to. */
  String path();

  /** The name of a model of this provider, as the service is configured with it. */
  String model();

  /** Environment variables that make the service use the endpoint at this URL. */
  Map<String, String> environment(String url);

  /** The messages of a request, without the system prompt. */
  List<Turn> turns(JsonNode request);

  /** The names of the tools in a request. */
  List<String> tools(JsonNode request);

  /** Why the provider refuses this request; empty when it accepts it. */
  List<String> refusals(JsonNode request);

  /**
   * Why one of the providers would refuse this request; empty when all accept it. One tool stands
   * for all in what is written, because the schemas of tools cost more time than everything else.
   */
  static List<String> refusalsOf(ModelRequest request) {
    var sent =
        new ModelRequest(
            "Be brief.",
            request.conversation(),
            request.tools().stream().limit(1).toList(),
            request.closing(),
            0);
    return Stream.of(
            new OpenAiStub().refusals(SentRequests.toOpenAi(sent)),
            new AnthropicStub().refusals(SentRequests.toAnthropic(sent)),
            request.tools().stream().flatMap(tool -> refusalsOf(tool).stream()).toList())
        .flatMap(List::stream)
        .toList();
  }

  private static List<String> refusalsOf(ToolDefinition tool) {
    return OpenAiRules.refusalsOf(
        tool.name(), TextNode.valueOf(tool.description()), tool.parameters());
  }

  /** The type of an answer. */
  default String contentType() {
    return "application/json";
  }

  /** An answer in this wire format. */
  String answer(StubEndpoint.Answer answer);
}
