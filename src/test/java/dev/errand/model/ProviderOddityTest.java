package dev.errand.model;

import static com.github.tomakehurst.wiremock.client.WireMock.absent;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static com.github.tomakehurst.wiremock.client.WireMock.badRequest;
import static com.github.tomakehurst.wiremock.client.WireMock.containing;
import static com.github.tomakehurst.wiremock.client.WireMock.equalTo;
import static com.github.tomakehurst.wiremock.client.WireMock.okForContentType;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import static com.github.tomakehurst.wiremock.client.WireMock.postRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.temporaryRedirect;
import static com.github.tomakehurst.wiremock.client.WireMock.urlEqualTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import com.github.tomakehurst.wiremock.core.WireMockConfiguration;
import com.github.tomakehurst.wiremock.junit5.WireMockExtension;
import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.model.ModelException.Code;
import dev.errand.model.ModelReply.Ending;
import dev.errand.tenant.TenantModels;
import io.quarkus.runtime.configuration.ConfigurationException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Unusual behaviour of some providers and models. */
class ProviderOddityTest {

  private static final ModelRequest HI =
      new ModelRequest("Be brief.", List.of(Message.user("Hi.")), List.of());

  @RegisterExtension
  static final WireMockExtension server =
      WireMockExtension.newInstance()
          .options(WireMockConfiguration.options().dynamicPort())
          .build();

  @ParameterizedTest
  @ValueSource(strings = {"{\"pattern", "\"x\"", "[1, 2]", "{\"a\":1}{\"a\":2}", "pattern=x"})
  void argumentsThatAreNotAnObjectAreKeptAsText(String words) {
    answerWithCalls("stop", call("call_1", words));

    assertThat(calls()).extracting(Content.ToolCall::arguments).containsExactly(text(words));
  }

  @Test
  void argumentsThatAreNestedTooDeeplyAreKeptAsText() {
    var fifty = "{\"x\":".repeat(49) + "{}" + "}".repeat(49);
    answerWithCalls("stop", call("call_1", fifty), call("call_2", "{\"x\":" + fifty + "}"));

    assertThat(calls())
        .extracting(call -> call.arguments().isObject(), call -> call.arguments().isTextual())
        .containsExactly(tuple(true, false), tuple(false, true));
  }

  @Test
  void namesAndIdsThatAreTooLongAreShortened() {
    var longText = "x".repeat(10_000);
    answerWithCalls("stop", call(longText, "{}").replace("grep", longText));

    assertThat(calls())
        .singleElement()
        .satisfies(
            call -> assertThat(call.id()).hasSizeLessThan(200),
            call -> assertThat(call.name()).hasSizeLessThanOrEqualTo(201));
  }

  @Test
  void missingArgumentsAreAnEmptyObject() {
    answerWithCalls("stop", call("call_1", ""));

    assertThat(calls())
        .extracting(Content.ToolCall::arguments)
        .containsExactly(JsonNodeFactory.instance.objectNode());
  }

  @Test
  void missingAndDuplicateIdsAreReplaced() {
    answerWithCalls("stop", call("same", "{}"), call("same", "{}"), call("", "{}"));

    assertThat(calls()).extracting(Content.ToolCall::id).startsWith("same");
    assertThat(calls()).extracting(Content.ToolCall::id).doesNotHaveDuplicates().doesNotContain("");
  }

  @Test
  void callThatWasCutByTheTokenLimitIsKeptAsText() {
    answerWithCalls("length", call("call_1", "{\"a\":1}"), call("call_2", "{\"a\":2}"));

    assertThat(calls())
        .extracting(Content.ToolCall::arguments)
        .containsExactly(JsonNodeFactory.instance.objectNode().put("a", 1), text("{\"a\":2}"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"max_tokens", "refusal", "model_context_window_exceeded"})
  void callInWhichAnthropicEndsEarlyIsNeverExecuted(String reason) {
    for (var wire : List.of(new AnthropicWire(false), new AnthropicWire(true))) {
      answer(
          wire.contentType(),
          wire.twoCalls()
              .replace("\"tool_use\"}", "\"%s\"}".formatted(reason))
              .replace("\"stop_reason\":\"tool_use\"", "\"stop_reason\":\"%s\"".formatted(reason)));

      assertThat(model(wire, Map.of()).reply(HI).toolCalls())
          .extracting(call -> call.arguments().isTextual())
          .containsExactly(false, true);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\"type\":null,"})
  void callsNeedNoType(String type) {
    var untyped = call("call_1", "{}").replace("\"type\":\"function\",", type);
    answerWithCalls("tool_calls", untyped, call("call_2", "{}"));

    assertThat(calls()).extracting(Content.ToolCall::id).containsExactly("call_1", "call_2");
  }

  @Test
  void answerWhoseCallsAreMissingIsItsText() {
    answerWithCalls("tool_calls");
    assertThat(model(new OpenAiWire(false), Map.of()).reply(HI).text()).isEqualTo("Hello there.");

    answer("application/json", finished(new OpenAiWire(false).empty(), "tool_calls"));
    assertThat(fault(new OpenAiWire(false)).code()).isEqualTo(Code.MODEL_BAD_RESPONSE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"index\":0,", ""})
  void callsInAStreamThatHaveTheSameIndexAreSeveral(String index) {
    var wire = new OpenAiWire(true);
    answer(
        wire.contentType(),
        wire.signedCalls()
            .orElseThrow()
            .replace("\"index\":1,\"id\"", "\"index\":0,\"id\"")
            .replace("\"index\":1,\"function\"", "\"index\":0,\"id\":\"\",\"function\"")
            .replace("{\"index\":0,\"id\"", "{" + index + "\"id\"")
            .replace("{\"index\":0,\"function\"", "{" + index + "\"function\""));

    var calls = model(wire, Map.of()).reply(HI).toolCalls();

    assertThat(calls).extracting(Content.ToolCall::name).containsExactly("grep", "read");
    assertThat(calls)
        .extracting(call -> call.arguments().toString())
        .containsExactly("{\"pattern\":\"x\"}", "{\"file_path\":\"a.txt\",\"limit\":5}");
    assertThat(calls)
        .extracting(call -> "" + call.metadata())
        .satisfiesExactly(
            first -> assertThat(first).contains("\"sig\""),
            second -> assertThat(second).doesNotContain("\"sig\""));
  }

  @ParameterizedTest
  @CsvSource({"length, TOKEN_LIMIT", "content_filter, STOPPED", "stop, COMPLETE"})
  void finishReasonDecidesWhereTheTextEnds(String reason, Ending ending) {
    for (var wire : List.of(new OpenAiWire(false), new OpenAiWire(true))) {
      answer(wire.contentType(), finished(wire.hello(), reason));

      assertThat(model(wire, Map.of()).reply(HI).ending()).isEqualTo(ending);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "max_tokens, TOKEN_LIMIT",
    "refusal, STOPPED",
    "model_context_window_exceeded, STOPPED"
  })
  void stopReasonDecidesWhereTheTextEnds(String reason, Ending ending) {
    for (var wire : List.of(new AnthropicWire(false), new AnthropicWire(true))) {
      answer(wire.contentType(), wire.hello().replace("end_turn", reason));

      assertThat(model(wire, Map.of()).reply(HI).ending()).isEqualTo(ending);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void refusalWithoutATextIsARejectedRequest(boolean streaming) {
    var openAi = new OpenAiWire(streaming);
    answer(openAi.contentType(), finished(openAi.empty(), "content_filter"));
    assertThat(fault(openAi).code()).isEqualTo(Code.MODEL_REJECTED_REQUEST);

    var anthropic = new AnthropicWire(streaming);
    answer(anthropic.contentType(), anthropic.empty().replace("end_turn", "refusal"));
    assertThat(fault(anthropic).code()).isEqualTo(Code.MODEL_REJECTED_REQUEST);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void answerThatFinishedWithAnErrorMeansUnavailable(boolean streaming) {
    var wire = new OpenAiWire(streaming);
    answer(wire.contentType(), finished(wire.hello(), "error"));
    assertThat(fault(wire).code()).isEqualTo(Code.MODEL_UNAVAILABLE);

    var error = "\"error\":{\"code\":429,\"message\":\"Busy\"},\"finish_reason\":\"error\"";
    answer(wire.contentType(), wire.hello().replace("\"finish_reason\":\"stop\"", error));
    assertThat(fault(wire).code()).isEqualTo(Code.MODEL_RATE_LIMITED);
  }

  @Test
  void callWithoutANameIsACallOfNoTool() {
    answerWithCalls("stop", call("call_1", "{}").replace("grep", ""), call("call_2", "{}"));

    assertThat(calls()).extracting(Content.ToolCall::name).containsExactly("(no name)", "grep");
  }

  @ParameterizedTest
  @CsvSource({
    "overloaded_error, MODEL_UNAVAILABLE",
    "rate_limit_error, MODEL_RATE_LIMITED",
    "invalid_request_error, MODEL_REJECTED_REQUEST",
    "authentication_error, MODEL_UNAUTHORIZED",
    "billing_error, MODEL_QUOTA_EXCEEDED",
    "not_found_error, MODEL_NOT_FOUND"
  })
  void errorInAStreamDecidesTheCode(String type, Code code) {
    var wire = new AnthropicWire(true);
    var error =
        "event: error\n"
            + "data: {\"type\":\"error\",\"error\":{\"type\":\"%s\",\"message\":\"Busy\"}}\n\n";
    answer(wire.contentType(), wire.cut() + error.formatted(type));

    var fault = fault(wire);

    assertThat(fault.code()).isEqualTo(code);
    assertThat(fault).hasMessageContaining("Busy");
  }

  @Test
  void errorInAStreamOfOllamaMeansUnavailable() {
    var wire = new OllamaWire(true);
    answer(wire.contentType(), wire.cut() + "{\"error\":\"out of memory\"}\n");

    var fault = fault(wire);

    assertThat(fault.code()).isEqualTo(Code.MODEL_UNAVAILABLE);
    assertThat(fault).hasMessageContaining("out of memory");
  }

  @Test
  void invalidEventInAStreamIsABadResponse() {
    var wire = new OpenAiWire(true);
    answer(wire.contentType(), "data: {oops\n\n" + wire.hello());

    assertThat(fault(wire).code()).isEqualTo(Code.MODEL_BAD_RESPONSE);
  }

  @Test
  void streamMayEndWithoutItsLastEventIfTheAnswerIsComplete() {
    var wire = new OpenAiWire(true);
    answer(wire.contentType(), wire.hello().replace("data: [DONE]\n\n", ""));

    assertThat(model(wire, Map.of()).reply(HI).text()).isEqualTo("Hello there.");
  }

  @Test
  void modelWhoseStreamsNeverHaveAReasonIsAskedTwiceOnce() {
    var wire = new OpenAiWire(true);
    answer(wire.contentType(), wire.hello().replace("\"finish_reason\":\"stop\"", "\"x\":1"));
    var model = model(wire, Map.of());
    server.resetRequests();

    assertThat(model.reply(HI).text()).isEqualTo("Hello there.");
    server.verify(2, postRequestedFor(anyUrl()));
    assertThat(model.reply(HI).text()).isEqualTo("Hello there.");
    server.verify(3, postRequestedFor(anyUrl()));
  }

  @Test
  void changeOfARequestThatDoesNotHelpIsForgotten() {
    var wire = new OpenAiWire(true);
    var refusal =
        "{\"error\":{\"message\":\"Unrecognized request argument supplied: stream_options\"}}";
    server.stubFor(post(anyUrl()).willReturn(badRequest().withBody(refusal)));
    var model = model(wire, Map.of());
    server.resetRequests();

    assertThatThrownBy(() -> model.reply(HI)).isInstanceOf(ModelException.class);
    assertThatThrownBy(() -> model.reply(HI)).isInstanceOf(ModelException.class);

    server.verify(2, postRequestedFor(anyUrl()).withRequestBody(containing("\"stream_options\"")));
    server.verify(4, postRequestedFor(anyUrl()));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void rejectedRequestIsNotRepeated(boolean streaming) {
    var wire = new OpenAiWire(streaming);
    var refusal = "\"refusal\":\"I will not.\"";
    answer(wire.contentType(), wire.hello().replace("\"refusal\":null", refusal));

    assertThat(fault(wire).code()).isEqualTo(Code.MODEL_REJECTED_REQUEST);
  }

  @Test
  void redirectIsNotFollowed() {
    server.stubFor(post(anyUrl()).willReturn(temporaryRedirect("http://elsewhere.invalid/")));

    assertThat(fault(new OpenAiWire(false)).code()).isEqualTo(Code.MODEL_REJECTED_REQUEST);
  }

  @Test
  void keyIsSentInTheHeaderOfTheProvider() {
    answer("application/json", new OpenAiWire(false).hello());
    model(new OpenAiWire(false), Map.of()).reply(HI);
    answer("application/json", new AnthropicWire(false).hello());
    model(new AnthropicWire(false), Map.of()).reply(HI);

    server.verify(
        postRequestedFor(urlEqualTo("/v1/chat/completions"))
            .withHeader("Authorization", equalTo("Bearer sk-secret")));
    server.verify(
        postRequestedFor(urlEqualTo("/v1/messages"))
            .withHeader("x-api-key", equalTo("sk-secret"))
            .withHeader("anthropic-version", equalTo("2023-06-01")));
  }

  @Test
  void withoutAKeyNoHeaderIsSent() {
    var wire = new OpenAiWire(false);
    answer("application/json", wire.hello());

    model(wire, Map.of("errand.models.openai.api-key", "")).reply(HI);

    server.verify(postRequestedFor(anyUrl()).withHeader("Authorization", absent()));
  }

  @Test
  void messageAboutAnInvalidKeyDoesNotContainTheKey() {
    var fault =
        catchThrowableOfType(
            ConfigurationException.class,
            () ->
                model(
                    new OpenAiWire(false), Map.of("errand.models.openai.api-key", "sk-se\ncret")));

    assertThat(fault).hasMessageContaining("OPENAI_API_KEY (errand.models.openai.api-key)");
    assertThat(Throwables.getStackTrace(fault)).doesNotContain("sk-se");
  }

  @Test
  void baseUrlOfAnthropicMayEndWithTheVersion() {
    var wire = new AnthropicWire(false);
    answer("application/json", wire.hello());

    model(wire, Map.of("errand.models.anthropic.base-url", server.baseUrl() + "/v1/")).reply(HI);

    server.verify(postRequestedFor(urlEqualTo("/v1/messages")));
  }

  private static String call(String id, String arguments) {
    return "{\"id\":\"%s\",\"type\":\"function\",\"function\":{\"name\":\"grep\",\"arguments\":%s}}"
        .formatted(id, TextNode.valueOf(arguments));
  }

  private static void answerWithCalls(String finish, String... calls) {
    var said = "\"refusal\":null,\"tool_calls\":[%s]".formatted(String.join(",", calls));
    var hello = new OpenAiWire(false).hello().replace("\"refusal\":null", said);
    answer("application/json", finished(hello, finish));
  }

  private static String finished(String answer, String reason) {
    return answer.replace(
        "\"finish_reason\":\"stop\"", "\"finish_reason\":\"%s\"".formatted(reason));
  }

  private static void answer(String contentType, String body) {
    server.stubFor(post(anyUrl()).willReturn(okForContentType(contentType, body)));
  }

  private static List<Content.ToolCall> calls() {
    return model(new OpenAiWire(false), Map.of()).reply(HI).toolCalls();
  }

  private static JsonNode text(String words) {
    return TextNode.valueOf(words);
  }

  private static ModelException fault(Wire wire) {
    var model = model(wire, Map.of());
    return catchThrowableOfType(ModelException.class, () -> model.reply(HI));
  }

  private static LanguageModel model(Wire wire, Map<String, String> more) {
    var properties = new HashMap<>(wire.properties(server.baseUrl()));
    properties.putAll(more);
    return Models.with(properties).named(wire.model(), TenantModels.OF_SERVICE);
  }
}
