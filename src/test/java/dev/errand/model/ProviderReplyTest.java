package dev.errand.model;

import static com.github.tomakehurst.wiremock.client.WireMock.postRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.urlEqualTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.Usage;
import dev.errand.tenant.TenantModels;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** How all providers read good answers, and what they send. */
@ParameterizedClass
@MethodSource("wires")
class ProviderReplyTest extends ProviderContract {

  static final String SCHEMA =
      """
      {"type":"object","properties":{\
      "pattern":{"type":"string","description":"A regular expression.","minLength":1},\
      "output_mode":{"type":"string","enum":["content","count"]},\
      "head_limit":{"type":"integer","minimum":1},\
      "case_insensitive":{"type":"boolean"},\
      "todos":{"type":"array","items":{"type":"object","properties":{"weight":{"type":"number"}},"required":["weight"],"additionalProperties":false}}\
      },"required":["pattern"],"additionalProperties":false}\
      """;

  private static final ObjectMapper JSON = new ObjectMapper();

  ProviderReplyTest(Wire wire) {
    super(wire);
  }

  @Test
  void textIsTheReply() {
    answer(ok(wire.hello()));

    var reply = model().reply(ask("Hi."));

    assertThat(reply)
        .usingRecursiveComparison()
        .ignoringFields("usage.cost")
        .isEqualTo(new ModelReply("Hello there.", List.of(), new Usage(12, 5)));
  }

  /** A half of a surrogate pair is no character, and must not be replaced before the next part. */
  @Test
  void pairWhoseHalvesArriveInTwoPartsIsJoined() {
    answer(
        ok(
            wire.hello()
                .replace("Hello there.", "Hello\\ud83d\\ude00 there.")
                .replace("Hello\"", "Hello\\ud83d\"")
                .replace("\" there.", "\"\\ude00 there.")));

    assertThat(model().reply(ask("Hi.")).text()).isEqualTo("Hello\ud83d\ude00 there.");
  }

  @Test
  void pairWhoseHalvesArriveInTwoPartsOfArgumentsIsJoined() {
    var first = "{\\\"pattern\\\":";
    var rest = "\"\\\"x\\\"}\"";
    assumeThat(wire.twoCalls()).as("arguments in parts").contains(first + "\"", rest);
    answer(
        ok(
            wire.twoCalls()
                .replace(first + "\"", first + "\\\"\\ud83d\"")
                .replace(rest, "\"\\ude00\\\"}\"")));

    assertThat(model().reply(ask("Find x.")).toolCalls().getFirst().arguments().path("pattern"))
        .isEqualTo(TextNode.valueOf("\ud83d\ude00"));
  }

  @Test
  void twoCallsHaveTheirArgumentsAndUniqueIds() throws Exception {
    answer(ok(wire.twoCalls()));

    var reply = model().reply(ask("Find x."));

    assertThat(reply.text()).isEqualTo("Looking.");
    assertThat(reply.toolCalls())
        .extracting(Content.ToolCall::name)
        .containsExactly("grep", "read");
    assertThat(reply.toolCalls())
        .extracting(Content.ToolCall::arguments)
        .containsExactly(
            JSON.readTree("{\"pattern\":\"x\"}"),
            JSON.readTree("{\"file_path\":\"a.txt\",\"limit\":5}"));
    assertThat(reply.toolCalls()).extracting(Content.ToolCall::id).doesNotHaveDuplicates();
    assertThat(reply.toolCalls()).extracting(Content.ToolCall::id).noneMatch(String::isBlank);
  }

  @Test
  void transcriptIsSentInTheFormatOfTheProvider() throws Exception {
    answer(ok(wire.hello()));

    model().reply(followUp());

    var expected = (ObjectNode) JSON.readTree(wire.followUp());
    var sent = (ObjectNode) sent();
    assertThat(sent.path("stream").asBoolean()).isTrue();
    assertThat(
            (JsonNode) sent.retain(expected.properties().stream().map(Map.Entry::getKey).toList()))
        .isEqualTo(expected);
  }

  @Test
  void bodyThatIsShownBeforeItIsSentIsTheBodyOfTheRequest() throws Exception {
    answer(ok(wire.hello()));
    var request = new ShownRequest(followUp());

    model().reply(request);

    assertThat(JSON.readTree(request.bodies().getLast().toString())).isEqualTo(sent());
  }

  @Test
  void schemaOfAToolIsSentUnchanged() throws Exception {
    answer(ok(wire.hello()));
    var grep = new ToolDefinition("grep", "Searches.", (ObjectNode) JSON.readTree(SCHEMA));

    model().reply(new ModelRequest("Be brief.", List.of(Message.user("Find x.")), List.of(grep)));

    assertThat(sent().at("/tools/0")).isEqualTo(JSON.readTree(wire.tool()));
  }

  @Test
  void schemaOfAToolWithAnyArgumentsIsSent() throws Exception {
    answer(ok(wire.hello()));
    var schema =
        """
        {"type": "object", "properties": {"any": {}}, "additionalProperties": true}
        """;
    var tool = new ToolDefinition("odd", "Odd.", (ObjectNode) JSON.readTree(schema));

    model().reply(new ModelRequest("Be brief.", List.of(Message.user("Go.")), List.of(tool)));

    assertThat(sent().at("/tools/0").findValue("properties").toString()).isEqualTo("{\"any\":{}}");
  }

  @Test
  void answerMayHaveHalfOfASmallContextWindow() throws Exception {
    answer(ok(wire.hello()));
    var window = "errand.models.context-tokens.\"%s\"".formatted(wire.model());

    model(server.baseUrl(), Map.of(window, "6000")).reply(ask("Hi."));

    switch (wire) {
      case OllamaWire _ ->
          assertThat(sent().path("options").toString())
              .contains("\"num_ctx\":6000", "\"num_predict\":3000");
      default -> assertThat(sent().path("max_tokens").asInt()).isEqualTo(3000);
    }
  }

  /** Ollama has no such choice; it accepts calls in a conversation without tools. */
  @Test
  void closingTurnKeepsItsToolsAndForbidsCalls() throws Exception {
    answer(ok(wire.hello()));
    var grep = new ToolDefinition("grep", "Searches.", (ObjectNode) JSON.readTree(SCHEMA));

    model()
        .reply(new ModelRequest("Be brief.", List.of(Message.user("Go.")), List.of(grep), true, 0));

    var choice = sent().path("tool_choice");
    switch (wire) {
      case OpenAiWire _ -> assertThat(choice.asText()).isEqualTo("none");
      case AnthropicWire _ -> assertThat(choice.path("type").asText()).isEqualTo("none");
      default -> assertThat(choice.isMissingNode()).isTrue();
    }
    assertThat(sent().path("tools").isEmpty()).isEqualTo(choice.isMissingNode());
  }

  @Test
  void whatTheProviderNeedsBackReturnsToTheSameModelOnly() throws Exception {
    assumeThat(wire.signedCalls()).isPresent();
    answer(ok(wire.signedCalls().orElseThrow()));
    var calls = model().reply(ask("Find x.")).toolCalls();
    var results =
        calls.stream().map(call -> new Content.ToolResult(call.id(), "x", false)).toList();
    var next =
        new ModelRequest(
            "Be brief.",
            List.of(
                Message.user("Find x."),
                Message.assistant(List.copyOf(calls)),
                Message.tool(results)),
            List.of());

    server.resetRequests();
    model().reply(next);
    assertThat(sent().toString()).contains("\"Let me see.\"", "\"sig\"").doesNotContain("metadata");

    server.resetRequests();
    var properties = new HashMap<>(wire.properties(server.baseUrl()));
    Models.with(properties).named(wire.model() + "-2", TenantModels.OF_SERVICE).reply(next);
    assertThat(sent().toString()).doesNotContain("Let me see.", "\"sig\"");
  }

  @Test
  void emptyAnswerIsAnEmptyText() {
    answer(ok(wire.empty()));

    var reply = model().reply(ask("Say nothing."));

    assertThat(reply.text()).isEmpty();
    assertThat(reply.toolCalls()).isEmpty();
  }

  /**
   * Two user messages in a row, a message for people, a call with malformed arguments, an empty
   * answer.
   */
  private static ModelRequest followUp() throws IOException {
    return new ModelRequest(
        "Be brief.",
        List.of(
            Message.user("Find x."),
            Message.system("The session was moved."),
            Message.user("Quickly."),
            Message.assistant(
                List.of(
                    new Content.Text("Looking."),
                    new Content.ToolCall("call_1", "grep", JSON.readTree("{\"pattern\":\"x\"}")),
                    new Content.ToolCall("call_2", "read", TextNode.valueOf("{\"file_path")))),
            Message.tool(
                List.of(
                    new Content.ToolResult("call_1", "a.txt:1:x", false),
                    new Content.ToolResult("call_2", "arguments must be an object", true))),
            Message.assistant(List.of(new Content.Text(""))),
            Message.user("And now?")),
        List.of());
  }

  private LanguageModel model() {
    return model(server.baseUrl(), Map.of());
  }

  private JsonNode sent() throws IOException {
    return JSON.readTree(
        server.findAll(postRequestedFor(urlEqualTo(wire.path()))).getFirst().getBody());
  }
}
