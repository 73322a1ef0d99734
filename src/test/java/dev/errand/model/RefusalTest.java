package dev.errand.model;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.model.ModelException.Code;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Refusals as providers word them; each is a row of a file. */
class RefusalTest {

  private static final JsonMapper JSON = new JsonMapper();

  private static final Endpoint ENDPOINT =
      new Endpoint("openai", URI.create("https://models.example.com/v1"), "sk-secret", null);

  @ParameterizedTest
  @MethodSource("refusals")
  void refusalIsUnderstoodByItsKind(JsonNode row) {
    var fault =
        Refusal.read(ENDPOINT, row.path("status").asInt(), headers(row), bytes(row.path("body")));

    assertThat(fault.code()).isEqualTo(code(row));
    assertThat(fault).hasMessageContaining(row.path("says").asText());
    row.path("retry_seconds")
        .asOptional()
        .ifPresent(seconds ->
            assertThat(fault.retryAfter())
                .contains(Duration.ofMillis(Math.round(seconds.asDouble() * 1000))));
  }

  @ParameterizedTest
  @MethodSource("errorsInAnswers")
  void errorInASuccessfulAnswerIsUnderstoodByItsKind(JsonNode row) {
    var fault = Refusal.in(ENDPOINT, headers(row), row.path("body")).orElseThrow();

    assertThat(fault.code()).isEqualTo(code(row));
    assertThat(fault.retryAfter().map(Duration::toSeconds).orElse(0L))
        .isEqualTo(row.path("retry_seconds").asLong());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'choices':[{'message':{'content':'no error'}}],'error':{'message':'x'}}",
        "{'choices':[{'delta':{'content':'insufficient_quota'}}],'error':null}",
        "{'choices':[{'delta':{'content':'a'}}],'error':{}}",
        "{'choices':[{'delta':{'content':'a'}}],'error':''}",
        "{'choices':[{'delta':{'content':'a'}}],'base_resp':{'status_code':0,'status_msg':''}}",
        "{'type':'content_block_delta','delta':{'text':'prompt is too long'}}",
        "{'message':{'content':'insufficient_quota'},'done':false}",
        "{}"
      })
  void answerIsNoError(String json) throws IOException {
    var answer = JSON.readTree(json.replace('\'', '"'));

    assertThat(Refusal.in(ENDPOINT, headers(answer), answer)).isEmpty();
  }

  @Test
  void sentenceNeverContainsTheKey() {
    var body = "{\"error\":{\"message\":\"Incorrect API key provided: sk-secret\"}}";

    var fault = Refusal.read(ENDPOINT, 401, headers(JSON.createObjectNode()), body.getBytes(UTF_8));

    assertThat(fault)
        .hasMessageContaining("Incorrect API key")
        .hasMessageNotContaining("sk-secret");
  }

  /** What a server quotes of the conversation is not what it says about it. */
  @Test
  void quotedRequestDoesNotDecideTheKind() {
    var body =
        "{\"detail\":[{\"msg\":\"field required\",\"input\":\"the maximum context length is exceeded,"
            + " insufficient_quota\"}]}";

    var fault = Refusal.read(ENDPOINT, 422, headers(JSON.createObjectNode()), body.getBytes(UTF_8));

    assertThat(fault.code()).isEqualTo(Code.MODEL_REJECTED_REQUEST);
  }

  static Stream<JsonNode> refusals() throws IOException {
    return rows("/model/refusals.jsonl");
  }

  static Stream<JsonNode> errorsInAnswers() throws IOException {
    return rows("/model/errors-in-answers.jsonl");
  }

  private static Stream<JsonNode> rows(String file) throws IOException {
    try (var lines = RefusalTest.class.getResourceAsStream(file)) {
      var rows = JSON.readerFor(JsonNode.class).<JsonNode>readValues(lines).readAll();
      assertThat(rows).isNotEmpty();
      return rows.stream();
    }
  }

  private static Code code(JsonNode row) {
    return Code.valueOf("MODEL_" + row.path("code").asText().toUpperCase(Locale.ROOT));
  }

  private static byte[] bytes(JsonNode body) {
    return (body.isTextual() ? body.asText() : body.toString()).getBytes(UTF_8);
  }

  private static HttpHeaders headers(JsonNode row) {
    var headers = new TreeMap<String, List<String>>();
    row.path("headers")
        .properties()
        .forEach(header -> headers.put(header.getKey(), List.of(header.getValue().asText())));
    return HttpHeaders.of(Map.copyOf(headers), (_, _) -> true);
  }
}
