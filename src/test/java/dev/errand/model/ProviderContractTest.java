package dev.errand.model;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import static com.github.tomakehurst.wiremock.client.WireMock.postRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.urlEqualTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.core.WireMockConfiguration;
import com.github.tomakehurst.wiremock.http.Fault;
import com.github.tomakehurst.wiremock.junit5.WireMockExtension;
import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.Usage;
import dev.errand.model.ModelException.Code;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What every provider must do, streaming or not. */
@ParameterizedClass
@MethodSource("wires")
class ProviderContractTest {

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

  /** Providers imply the outermost keyword. */
  static final String SENT_SCHEMA =
      SCHEMA.substring(0, SCHEMA.lastIndexOf(",\"additionalProperties\"")) + "}";

  private static final ObjectMapper JSON = new ObjectMapper();

  @RegisterExtension
  static final WireMockExtension server =
      WireMockExtension.newInstance()
          .options(WireMockConfiguration.options().dynamicPort())
          .build();

  private final Wire wire;

  ProviderContractTest(Wire wire) {
    this.wire = wire;
  }

  static List<Wire> wires() {
    return List.of(
        new OpenAiWire(false),
        new OpenAiWire(true),
        new AnthropicWire(false),
        new AnthropicWire(true),
        new OllamaWire(false),
        new OllamaWire(true));
  }

  @Test
  void plainTextIsTheReply() {
    answer(ok(wire.hello()));

    var reply = model().reply(ask("Hi."));

    assertThat(reply).isEqualTo(new ModelReply("Hello there.", List.of(), new Usage(12, 5)));
  }

  @Test
  void twoCallsSideBySideComeWithTheirArgumentsAndUniqueIds() throws Exception {
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
  void aTranscriptIsSentAsTheProviderWantsIt() throws Exception {
    answer(ok(wire.hello()));

    model().reply(followUp());

    var expected = (ObjectNode) JSON.readTree(wire.followUp());
    var sent = (ObjectNode) sent();
    assertThat(sent.path("stream").asBoolean()).isEqualTo(wire.streaming());
    assertThat(
            (JsonNode) sent.retain(expected.properties().stream().map(Map.Entry::getKey).toList()))
        .isEqualTo(expected);
  }

  @Test
  void aToolsSchemaIsSentAsItIs() throws Exception {
    answer(ok(wire.hello()));
    var grep = new ToolDefinition("grep", "Searches.", (ObjectNode) JSON.readTree(SCHEMA));

    model().reply(new ModelRequest("Be brief.", List.of(Message.user("Find x.")), List.of(grep)));

    assertThat(sent().at("/tools/0")).isEqualTo(JSON.readTree(wire.tool()));
  }

  @Test
  void anEmptyAnswerIsAnEmptyText() {
    answer(ok(wire.empty()));

    var reply = model().reply(ask("Say nothing."));

    assertThat(reply.text()).isEmpty();
    assertThat(reply.toolCalls()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "400, MODEL_REJECTED_REQUEST, false",
    "401, MODEL_UNAUTHORIZED, false",
    "403, MODEL_UNAUTHORIZED, false",
    "404, MODEL_NOT_FOUND, false",
    "422, MODEL_REJECTED_REQUEST, false",
    "429, MODEL_RATE_LIMITED, true",
    "500, MODEL_UNAVAILABLE, true",
    "503, MODEL_UNAVAILABLE, true",
    "529, MODEL_UNAVAILABLE, true"
  })
  void aStatusSaysWhatWentWrong(int status, Code code, boolean retryable) {
    answer(aResponse().withStatus(status).withBody(wire.error()));

    var fault = fault();

    assertThat(fault.code()).isEqualTo(code);
    assertThat(fault.retryable()).isEqualTo(retryable);
    assertThat(fault).hasMessageContaining("localhost").hasMessageContaining("" + status);
    assertThat(fault).hasMessageContaining("Something is wrong");
    assertThat(fault).hasStackTraceContaining(wire.model().split(":")[0]);
    assertThat(fault.getMessage()).doesNotContain("sk-secret");
    server.verify(1, postRequestedFor(urlEqualTo(wire.path())));
  }

  @Test
  void theWaitThatTheProviderAsksForIsKnown() {
    answer(aResponse().withStatus(429).withHeader("Retry-After", "7").withBody(wire.error()));

    assertThat(fault().retryAfter()).contains(Duration.ofSeconds(7));
  }

  @ParameterizedTest
  @CsvSource({"<html>It works!</html>", "{}", "[]", "''", "{\"choices\":[]}"})
  void anAnswerThatIsNoneIsABadResponse(String garbage) {
    answer(ok(garbage));

    assertThat(fault().code()).isEqualTo(Code.MODEL_BAD_RESPONSE);
  }

  @Test
  void anAnswerThatEndsTooEarlyIsABadResponse() {
    answer(ok(wire.cut()));

    assertThat(fault().code()).isEqualTo(Code.MODEL_BAD_RESPONSE);
  }

  @Test
  void aConnectionCutWithinTheAnswerIsABadResponse() {
    answer(ok(wire.hello()).withFault(Fault.MALFORMED_RESPONSE_CHUNK));

    assertThat(fault().code()).isEqualTo(Code.MODEL_BAD_RESPONSE);
  }

  @Test
  void anEndpointThatIsDownIsUnreachable() {
    var fault = faultAt("http://localhost:1", Map.of());

    assertThat(fault.code()).isEqualTo(Code.MODEL_UNREACHABLE);
    assertThat(fault).hasMessageContaining("localhost:1");
  }

  @Test
  void anUnknownHostIsUnreachable() {
    var fault = faultAt("http://no-such-host.invalid", Map.of());

    assertThat(fault.code()).isEqualTo(Code.MODEL_UNREACHABLE);
  }

  @Test
  void anEndpointThatNeverAnswersTimesOut() throws IOException {
    try (var hanging = new HangingServer("")) {
      var fault =
          faultAt(
              hanging.url(),
              Map.of(
                  wire.streaming()
                      ? "errand.models.first-byte-timeout"
                      : "errand.models.total-timeout",
                  "100ms"));

      assertThat(fault.code()).isEqualTo(Code.MODEL_TIMEOUT);
    }
  }

  @Test
  void anAnswerThatStopsHalfWayTimesOut() throws IOException {
    try (var hanging = HangingServer.after(wire.contentType(), wire.cut())) {
      var fault = faultAt(hanging.url(), Map.of("errand.models.chunk-timeout", "100ms"));

      assertThat(fault.code()).isEqualTo(Code.MODEL_TIMEOUT);
    }
  }

  @Test
  void anInterruptEndsTheWaitForAnAnswer() throws Exception {
    try (var hanging = new HangingServer("")) {
      assertInterruptible(hanging);
    }
  }

  @Test
  void anInterruptEndsTheWaitWithinAnAnswer() throws Exception {
    try (var hanging = HangingServer.after(wire.contentType(), wire.cut())) {
      assertInterruptible(hanging);
    }
  }

  private void assertInterruptible(HangingServer hanging) throws Exception {
    var ended = new CompletableFuture<ModelException>();
    var caller = Thread.ofVirtual().start(() -> ended.complete(faultAt(hanging.url(), Map.of())));
    hanging.awaitHanging();

    caller.interrupt();

    assertThat(ended.get(1, TimeUnit.SECONDS).code()).isEqualTo(Code.MODEL_INTERRUPTED);
  }

  /**
   * Two user messages in a row, a note for people, a call with malformed arguments, an empty
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

  private static ModelRequest ask(String text) {
    return new ModelRequest("Be brief.", List.of(Message.user(text)), List.of());
  }

  private LanguageModel model() {
    return model(server.baseUrl(), Map.of());
  }

  private LanguageModel model(String url, Map<String, String> more) {
    var properties = new HashMap<>(wire.properties(url));
    properties.put("errand.models.streaming", "" + wire.streaming());
    properties.putAll(more);
    return Models.with(properties).named(wire.model());
  }

  private ModelException fault() {
    return faultAt(server.baseUrl(), Map.of());
  }

  private ModelException faultAt(String url, Map<String, String> more) {
    var model = model(url, more);
    return catchThrowableOfType(ModelException.class, () -> model.reply(ask("Hi.")));
  }

  private void answer(ResponseDefinitionBuilder response) {
    server.stubFor(post(urlEqualTo(wire.path())).willReturn(response));
  }

  private ResponseDefinitionBuilder ok(String body) {
    return aResponse().withHeader("Content-Type", wire.contentType()).withBody(body);
  }

  private JsonNode sent() throws IOException {
    return JSON.readTree(
        server.findAll(postRequestedFor(urlEqualTo(wire.path()))).getFirst().getBody());
  }
}
