package dev.errand.http;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import dev.errand.kit.Http;
import dev.errand.kit.RawHttp;
import io.quarkus.test.junit.QuarkusTest;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
class RequestLimitsDbTest {

  private static final int CHUNK = 10_000;

  @ParameterizedTest
  @ValueSource(ints = {8_000, 100_000, 1_000_000})
  void overLongUrlIsAnsweredWithAProblemDocument(int length) {
    given()
        .get("/v1/tasks?label=" + "x".repeat(length))
        .then()
        .statusCode(414)
        .contentType("application/problem+json")
        .body("status", is(414))
        .body("detail", containsString("8,000 characters"))
        .body("instance", is("/v1/tasks"));
  }

  @Test
  void urlOf7000CharactersIsServed() {
    given().get("/v1/agents/" + "x".repeat(7_000)).then().statusCode(404);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nonsense                                       | X: 1            | 400",
        "GET                                            | X: 1            | 400",
        "GET /                                          | X: 1            | 400",
        "GET / HTTP/1.1 more                            | Host: localhost | 400",
        "GET /v1/tasks?q=a b HTTP/1.1                   | Host: localhost | 400",
        "GET /v1/tasks HTTP/1.1                         | no colon        | 400",
        "GET /v1/tasks HTTP/1.1                         | a b: c          | 400",
        "GET /v1/%zz HTTP/1.1                           | Host: localhost | 400",
        "POST /v1/tasks HTTP/1.1                        | Content-Length: x | 400",
        "POST /v1/tasks HTTP/1.1                        | Content-Length: -1 | 400"
      })
  void malformedRequestIsRefused(String line, String header, int status) {
    assertThat(RawHttp.send(port(), line, header, "Connection: close").status()).isEqualTo(status);
  }

  @Test
  void pathWithNulIsAnsweredWithAProblemDocument() {
    var line = "GET /v1/agents/a%00b HTTP/1.1";

    assertProblem(RawHttp.send(port(), line, "Host: localhost", "Connection: close"), 400);
  }

  @Test
  void connectionWithoutACompleteRequestIsClosed() {
    assertThat(RawHttp.sendBytes(port(), "GET / HTT").text()).isEmpty();
  }

  @Test
  void headersThatAreTooLongAreRefused() {
    for (var header : List.of("X: " + "x".repeat(30_000), "x".repeat(30_000) + ": 1")) {
      var answer =
          RawHttp.send(port(), "GET / HTTP/1.1", "Host: localhost", header, "Connection: close");
      assertThat(answer.status()).isEqualTo(431);
    }
  }

  @Test
  void urlOfMoreThanAMegabyteIsRefused() {
    var answer = RawHttp.send(port(), "GET /" + "x".repeat(1_100_000) + " HTTP/1.1");

    assertThat(answer.status()).isEqualTo(414);
  }

  @ParameterizedTest
  @CsvSource({"1048576, 400", "1048577, 413", "1110000, 413", "1200000, 413"})
  void chunkedBodyHasTheSameLimit(int bytes, int status) {
    var body = "[" + " ".repeat(bytes - 2) + "]";
    var chunks =
        IntStream.iterate(0, from -> from < bytes, from -> from + CHUNK)
            .mapToObj(from -> body.substring(from, Math.min(from + CHUNK, bytes)))
            .map(part -> Integer.toHexString(part.length()) + "\r\n" + part + "\r\n")
            .collect(Collectors.joining());

    var answer =
        RawHttp.sendBytes(
            port(),
            String.join(
                "\r\n",
                "POST /v1/tasks HTTP/1.1",
                "Host: localhost",
                "Content-Type: application/json",
                "Transfer-Encoding: chunked",
                status == 413 ? "X: 1" : "Connection: close",
                "",
                chunks + "0\r\n\r\n"));

    assertProblem(answer, status);
    assertThat(answer.text())
        .contains(status == 413 ? "larger than 1 MiB" : "must be a JSON object");
  }

  /** Clients often read when they have sent everything; the answer must not be lost before. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/v1/sessions | Content-Type: application/json | Content-Length: 12000000   | 413",
        "/v1/sessions | Content-Type: application/json | Transfer-Encoding: chunked | 413",
        "/v1/sessions | Content-Type: text/plain       | Content-Length: 12000000   | 415",
        "/v1/sessions | Content-Type: text/plain       | Transfer-Encoding: chunked | 415",
        "/v1/sessions | Origin: https://elsewhere.test | Content-Length: 12000000   | 403"
      })
  void refusalReachesAClientThatSendsItsWholeBodyFirst(
      String path, String header, String length, int status) {
    var head =
        String.join(
            "\r\n", "POST " + path + " HTTP/1.1", "Host: localhost", header, length, "", "");
    var part = "[" + " ".repeat(0x100000 - 1);

    var answer =
        RawHttp.sendBytes(
            port(),
            head
                + (length.startsWith("Content")
                    ? part.repeat(12).substring(0, 12_000_000)
                    : ("100000\r\n" + part + "\r\n").repeat(12) + "0\r\n\r\n"));

    assertProblem(answer, status);
  }

  @Test
  void requestWithoutABodyMayHaveTheTypeOfOne() {
    var line =
        "POST /v1/agents/reload HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

    var answers = RawHttp.sendBytes(port(), line + "\r\n" + line + "Connection: close\r\n\r\n");

    assertThat(answers.text().split("HTTP/1.1 200", -1)).hasSize(3);
  }

  private static void assertProblem(RawHttp.Answer answer, int status) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.text())
        .contains("application/problem+json", "\"status\":" + status, "\"detail\":\"");
  }

  private static int port() {
    return Http.uri("").getPort();
  }
}
