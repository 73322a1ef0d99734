package dev.errand.api;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.api.OpenApiDocument.Operation;
import dev.errand.kit.Http;
import dev.errand.kit.RawHttp;
import io.quarkus.test.junit.QuarkusTest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Odd bytes in every path, query parameter and header of the OpenAPI document. */
@QuarkusTest
class OddParametersDbTest {

  private static final String BODY = "{\"text\": \"x\"}";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "%00",
        "a%00b",
        "%ED%A0%80",
        "%ED%B8%80%ED%A0%BD",
        "%C0%80",
        "%F0%9F%98%80",
        "%F0%9F%98",
        "%EF%BF%BF",
        "%E2%80%AE",
        "%C2%85",
        "%FF",
        "%0A",
        "%25%30%30",
        "%u0000",
        "%",
        "%2",
        "%ZZ"
      })
  void everyPathAndEveryQueryParameterIsReadOrRefused(String encoded) throws IOException {
    var faults = new ArrayList<String>();
    for (var operation : operations()) {
      var targets =
          Stream.concat(
              Stream.of(
                  operation.path().replaceAll("\\{[^}]*}", encoded),
                  plain(operation) + "?metadata.a=" + encoded,
                  plain(operation) + "?metadata." + encoded + "=a",
                  plain(operation) + "?" + encoded),
              operation.parameters().stream()
                  .filter(parameter -> parameter.get("in").asText().equals("query"))
                  .map(parameter ->
                      plain(operation) + "?" + parameter.get("name").asText() + "=" + encoded));
      targets.forEach(target -> faults.addAll(faults(operation, target, "X-None: 1")));
    }
    assertThat(faults).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\u0000",
        "a\u0001b",
        "\u00ed\u00a0\u0080",
        "\u00f0\u009f\u0098",
        "\u00ff",
        "\u0085",
        "\u007f"
      })
  void everyHeaderIsReadOrRefused(String bytes) throws IOException {
    var faults = new ArrayList<String>();
    for (var operation : operations()) {
      for (var name : List.of("Idempotency-Key", "Last-Event-ID", "Prefer", "Authorization")) {
        faults.addAll(faults(operation, plain(operation), name + ": " + bytes));
      }
    }
    assertThat(faults).isEmpty();
  }

  /** With an id that does not exist, so that no stream of events is opened. */
  private static String plain(Operation operation) {
    return operation.path().replaceAll("\\{[^}]*}", "none");
  }

  private static List<Operation> operations() throws IOException {
    return new OpenApiDocument(
            new JsonMapper().readTree(given().get("/q/openapi?format=json").asString()))
        .operations();
  }

  private static List<String> faults(Operation operation, String target, String header) {
    var answer =
        RawHttp.sendBytes(
            Http.uri("/").getPort(),
            String.join(
                "\r\n",
                operation.method().toUpperCase(Locale.ROOT) + " " + target + " HTTP/1.1",
                "Host: localhost",
                "Connection: close",
                "Content-Type: application/json",
                "Content-Length: " + BODY.length(),
                header,
                "",
                BODY));
    var isExplained = answer.text().contains("application/problem+json");
    return answer.status() < 200
            || answer.status() >= 500
            || (answer.status() >= 400 && !isMalformed(answer)) != isExplained
        ? List.of(operation + " " + target + " " + header + ": " + answer.text())
        : List.of();
  }

  /** What is no request of HTTP gets an empty answer. */
  private static boolean isMalformed(RawHttp.Answer answer) {
    return answer.status() == 400 && answer.text().contains("content-length: 0\r\n");
  }
}
