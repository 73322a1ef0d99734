package dev.errand.model;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.postRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.urlEqualTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.github.tomakehurst.wiremock.http.Fault;
import dev.errand.model.ModelException.Code;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** How all providers handle bad and missing answers. */
@ParameterizedClass
@MethodSource({"wires", "ofTenants"})
class ProviderFaultTest extends ProviderContract {

  ProviderFaultTest(Wire wire) {
    super(wire);
  }

  /** Endpoints that tenants give are called by another client. */
  static List<Wire> ofTenants() {
    return List.of(new OpenAiWire(false, true), new OpenAiWire(true, true));
  }

  @ParameterizedTest
  @CsvSource({
    "400, MODEL_REJECTED_REQUEST, false",
    "401, MODEL_UNAUTHORIZED, false",
    "403, MODEL_UNAUTHORIZED, false",
    "404, MODEL_NOT_FOUND, false",
    "413, MODEL_CONTEXT_EXCEEDED, false",
    "422, MODEL_REJECTED_REQUEST, false",
    "429, MODEL_RATE_LIMITED, true",
    "500, MODEL_UNAVAILABLE, true",
    "503, MODEL_UNAVAILABLE, true",
    "529, MODEL_UNAVAILABLE, true"
  })
  void statusDecidesTheCode(int status, Code code, boolean away) {
    answer(aResponse().withStatus(status).withBody(wire.error()));

    var fault = fault();

    assertThat(fault.code()).isEqualTo(code);
    assertThat(fault.isAway()).isEqualTo(away);
    assertThat(fault).hasMessageContaining("localhost").hasMessageContaining("" + status);
    assertThat(fault).hasMessageContaining("Something is wrong");
    assertThat(fault).hasStackTraceContaining(wire.model().split(":")[0]);
    assertThat(fault.getMessage()).doesNotContain("sk-secret");
    server.verify(1, postRequestedFor(urlEqualTo(wire.path())));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "400 | {'error': {'message': 'Too many.', 'code': 'context_length_exceeded'}}",
        "400 | {'error': {'type': 'invalid_request_error', 'message': 'prompt is too long: 208310 tokens > 200000 maximum'}}",
        "400 | {'error': 'the request exceeds the available context size'}",
        "413 | <html>Request Entity Too Large</html>",
        "422 | This model's maximum context length is 8192 tokens."
      })
  void requestThatIsTooLongHasACodeOfItsOwn(int status, String body) {
    answer(aResponse().withStatus(status).withBody(body.replace('\'', '"')));

    assertThat(fault().code()).isEqualTo(Code.MODEL_CONTEXT_EXCEEDED);
  }

  @Test
  void requestedDelayIsReported() {
    answer(aResponse().withStatus(429).withHeader("Retry-After", "7").withBody(wire.error()));

    assertThat(fault().retryAfter()).contains(Duration.ofSeconds(7));
  }

  @ParameterizedTest
  @CsvSource({"<html>It works!</html>", "{}", "[]", "''", "{\"choices\":[]}"})
  void invalidAnswerIsABadResponse(String garbage) {
    answer(ok(garbage));

    assertThat(fault().code()).isEqualTo(Code.MODEL_BAD_RESPONSE);
  }

  @Test
  void answerThatIsTooLongIsABadResponse() {
    answer(ok(wire.hello()));
    var url = server.baseUrl();
    var config = Models.config(properties(url, Map.of()));
    var gates = new EndpointGates(List.of(), config);
    var http = new ModelHttp(config, gates, new TenantEndpoints(config, true), 100);
    var model = Models.with(config, http).named(wire.model(), wire.tenant(url));

    var fault = catchThrowableOfType(ModelException.class, () -> model.reply(ask("Hi.")));

    assertThat(fault.code()).isEqualTo(Code.MODEL_BAD_RESPONSE);
    assertThat(fault).hasMessageEndingWith("sent an answer that is too long.");
  }

  @ParameterizedTest
  @CsvSource({
    "400, MODEL_REJECTED_REQUEST",
    "401, MODEL_UNAUTHORIZED",
    "413, MODEL_CONTEXT_EXCEEDED",
    "429, MODEL_RATE_LIMITED",
    "502, MODEL_UNAVAILABLE",
    "1301, MODEL_UNAVAILABLE"
  })
  void errorInASuccessfulAnswerDecidesTheCode(int number, Code code) {
    var error =
        "{\"error\":{\"code\":%d,\"message\":\"Provider returned error\"},\"user_id\":\"u\"}";
    var isStream = wire.contentType().contains("event-stream");
    var event = isStream ? "data: " + error + "\n\n" : error + "\n";
    answer(ok(event.formatted(number)).withHeader("Retry-After", "7"));

    var fault = fault();

    assertThat(fault.code()).isEqualTo(code);
    assertThat(fault).hasMessageContaining("Provider returned error");
    assertThat(fault.retryAfter()).contains(Duration.ofSeconds(7));
  }

  @Test
  void streamThatEndsTooEarlyIsAFaultOfTheConnection() {
    answer(ok(wire.cut()));

    assertThat(fault().code())
        .isEqualTo(wire.streaming() ? Code.MODEL_UNREACHABLE : Code.MODEL_BAD_RESPONSE);
  }

  @Test
  void connectionThatBreaksDuringTheAnswerIsUnreachable() {
    answer(ok(wire.hello()).withFault(Fault.MALFORMED_RESPONSE_CHUNK));

    assertThat(fault().code()).isEqualTo(Code.MODEL_UNREACHABLE);
  }

  @Test
  void stoppedEndpointIsUnreachable() {
    var fault = faultAt("http://localhost:1", Map.of());

    assertThat(fault.code()).isEqualTo(Code.MODEL_UNREACHABLE);
    assertThat(fault).hasMessageContaining("localhost:1");
  }

  @Test
  void unknownHostIsUnreachable() {
    var fault = faultAt("http://no-such-host.invalid", Map.of());

    assertThat(fault.code()).isEqualTo(Code.MODEL_UNREACHABLE);
  }

  @Test
  void silentEndpointTimesOut() throws IOException {
    try (var hanging = new HangingServer("")) {
      var fault = faultAt(hanging.url(), Map.of("errand.models.first-byte-timeout", "100ms"));

      assertThat(fault.code()).isEqualTo(Code.MODEL_TIMEOUT);
    }
  }

  @Test
  void stalledAnswerTimesOut() throws IOException {
    try (var hanging = HangingServer.after(wire.contentType(), wire.cut())) {
      var fault = faultAt(hanging.url(), Map.of("errand.models.chunk-timeout", "100ms"));

      assertThat(fault.code()).isEqualTo(Code.MODEL_TIMEOUT);
    }
  }

  @Test
  void interruptEndsTheWaitForAnAnswer() throws Exception {
    try (var hanging = new HangingServer("")) {
      assertInterruptible(hanging);
    }
  }

  @Test
  void interruptEndsTheWaitDuringAnAnswer() throws Exception {
    try (var hanging = HangingServer.after(wire.contentType(), wire.cut())) {
      assertInterruptible(hanging);
    }
  }

  @Test
  void statusIsUsedEvenIfItsExplanationIsIncomplete() throws IOException {
    var cut = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 1000\r\n\r\n{\"err";
    try (var hanging = new HangingServer(cut)) {
      var fault = faultAt(hanging.url(), Map.of("errand.models.chunk-timeout", "100ms"));

      assertThat(fault.code()).isEqualTo(Code.MODEL_UNAUTHORIZED);
    }
  }

  private void assertInterruptible(HangingServer hanging) throws Exception {
    var ended = new CompletableFuture<ModelException>();
    var caller = Thread.ofVirtual().start(() -> ended.complete(faultAt(hanging.url(), Map.of())));
    hanging.awaitHanging();

    caller.interrupt();

    assertThat(ended.get(60, TimeUnit.SECONDS).code()).isEqualTo(Code.MODEL_INTERRUPTED);
  }

  private ModelException fault() {
    return faultAt(server.baseUrl(), Map.of());
  }

  private ModelException faultAt(String url, Map<String, String> more) {
    var model = model(url, more);
    return catchThrowableOfType(ModelException.class, () -> model.reply(ask("Hi.")));
  }
}
