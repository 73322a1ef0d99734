package dev.errand.http;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;

import dev.errand.kit.Http;
import dev.errand.kit.HttpCall;
import dev.errand.kit.RawHttp;
import dev.errand.kit.RawHttp.Answer;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What comes in from web pages, by host names and in request bodies. */
@QuarkusTest
class RequestGuardDbTest implements Story {

  private static final String TASK =
      "{\"description\":\"x\",\"prompt\":\"x\",\"subagent_type\":\"explore\",\"background\":true}";
  private static final String FRIEND = "https://app.example";

  @Inject TaskKit kit;
  @Inject Vertx vertx;
  @Inject Jdbi jdbi;

  @ParameterizedTest
  @ValueSource(
      strings = {"/", "/v1/tasks", "/q/health/live", "/q/metrics", "/q/openapi", "/mcp", "/none"})
  void foreignHostIsRefusedOnEveryPath(String path) {
    var answer =
        RawHttp.send(
            port(), "GET " + path + " HTTP/1.1", "Host: evil.example:8080", "Connection: close");

    assertThat(answer.status()).isEqualTo(421);
    assertThat(answer.text())
        .containsIgnoringCase("Content-Type: application/problem+json")
        .containsIgnoringCase("X-Content-Type-Options: nosniff")
        .contains("\"instance\":\"" + path + "\"", "\"field\":\"Host\"")
        .contains("ERRAND_HTTP_ALLOWED_HOSTS");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GET /v1/agents HTTP/1.1                       | Host: localhost           | 200",
        "GET /v1/agents HTTP/1.1                       | Host: errand.example      | 200",
        "GET /v1/agents HTTP/1.1                       | Host: 10.1.2.3:8080       | 200",
        "GET /v1/agents HTTP/1.1                       | Host: evil.example        | 421",
        "GET /v1/agents HTTP/1.1                       | Host:                     | 421",
        "GET /v1/agents HTTP/1.1                       | X-None: 1                 | 400",
        "GET /v1/agents HTTP/1.0                       | X-None: 1                 | 200",
        "GET /v1/agents HTTP/1.0                       | Host: evil.example        | 421",
        "GET http://localhost/v1/agents HTTP/1.1       | Host: localhost           | 200",
        "GET http://evil.example/v1/agents HTTP/1.1    | Host: localhost           | 421",
        "GET http://localhost/v1/agents HTTP/1.1       | Host: evil.example        | 421",
        "GET http://a@evil.example/v1/agents HTTP/1.1  | Host: localhost           | 421",
        "GET http://localhost@evil.example/ HTTP/1.1   | Host: localhost           | 421"
      })
  void hostIsJudgedInEveryForm(String line, String header, int status) {
    assertThat(raw(line, header).status()).isEqualTo(status);
  }

  @Test
  void severalHostsAreRefused() {
    var answer = raw("GET /v1/agents HTTP/1.1", "Host: localhost", "Host: evil.example");

    assertThat(answer.status()).isEqualTo(400);
  }

  @Test
  void missingHostIsExplained() {
    var answer = raw("GET /v1/agents HTTP/1.1", "X-None: 1");

    assertThat(answer.text()).contains("application/problem+json").contains("one header Host");
  }

  @Test
  void proxyHeadersOfAClientAreNotTrusted() {
    var forwarded = "X-Forwarded-Host: localhost";
    assertThat(raw("GET /v1/agents HTTP/1.1", "Host: evil.example", forwarded).status())
        .isEqualTo(421);
    var other = "Forwarded: host=evil.example";
    assertThat(raw("GET /v1/agents HTTP/1.1", "Host: localhost", other).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource({"evil.example, 421", "localhost, 200"})
  void authorityOfHttp2IsJudged(String host, int status) throws Exception {
    var options =
        new HttpClientOptions()
            .setProtocolVersion(HttpVersion.HTTP_2)
            .setHttp2ClearTextUpgrade(false);
    var client = vertx.createHttpClient(options);
    var request =
        new RequestOptions()
            .setMethod(HttpMethod.GET)
            .setServer(SocketAddress.inetSocketAddress(port(), "127.0.0.1"))
            .setHost(host)
            .setPort(port())
            .setURI("/v1/agents");

    var answer = client.request(request).compose(sent -> sent.send()).toCompletionStage();

    var response = answer.toCompletableFuture().get(60, TimeUnit.SECONDS);
    assertThat(response.version()).isEqualTo(HttpVersion.HTTP_2);
    assertThat(response.statusCode()).isEqualTo(status);
    client.close();
  }

  @ParameterizedTest
  @CsvSource({
    "Origin, https://evil.example",
    "Origin, null",
    "Origin, http://localhost:1",
    "Sec-Fetch-Site, cross-site",
    "Sec-Fetch-Site, same-site"
  })
  void foreignPageChangesNothing(String header, String value) {
    var before = rows();

    for (var path : List.of("/v1/tasks", "/v1/sessions", "/v1/agents/reload", "/q/health", "/x")) {
      json()
          .header(header, value)
          .body(TASK)
          .post(path)
          .then()
          .statusCode(403)
          .contentType("application/problem+json")
          .header("Access-Control-Allow-Origin", nullValue())
          .body("errors[0].field", is("Origin"));
    }
    given().header(header, value).post("/v1/agents/reload").then().statusCode(403);
    given().header(header, value).delete("/v1/sessions/x").then().statusCode(403);

    assertThat(rows()).isEqualTo(before);
  }

  @Test
  void foreignPageReadsNothing() {
    var events = "/v1/sessions/" + kit.externalSession() + "/events";
    for (var path : List.of("/v1/tasks", events, "/q/metrics")) {
      given().header("Origin", "https://evil.example").get(path).then().statusCode(403);
      given().header("Origin", "https://evil.example").options(path).then().statusCode(403);
      given().header("Sec-Fetch-Site", "cross-site").get(path).then().statusCode(403);
    }
  }

  @Test
  void ownPageAndFollowedLinkAreServed() {
    var own = "http://127.0.0.1:" + port();
    json()
        .header("Origin", own)
        .header("Sec-Fetch-Site", "same-origin")
        .body("{}")
        .post("/v1/sessions")
        .then()
        .statusCode(201);
    given()
        .header("Sec-Fetch-Site", "cross-site")
        .header("Sec-Fetch-Mode", "navigate")
        .get("/v1/agents")
        .then()
        .statusCode(200)
        .header("Content-Security-Policy", is("frame-ancestors 'none'"));
  }

  @Test
  void allowedOriginNeedsAToken() {
    friend()
        .body("{}")
        .post("/v1/sessions")
        .then()
        .statusCode(403)
        .body("errors[0].field", is("Authorization"));
    friend()
        .header("Authorization", "Bearer err_token")
        .body("{}")
        .post("/v1/sessions")
        .then()
        .statusCode(201)
        .header("Access-Control-Allow-Origin", is(FRIEND))
        .header("Access-Control-Allow-Credentials", nullValue())
        .header("Access-Control-Expose-Headers", containsString("Location"))
        .header("Vary", is("origin"));
  }

  @Test
  void preflightOfAnAllowedOriginIsAnswered() {
    preflight(FRIEND)
        .options("/v1/tasks")
        .then()
        .statusCode(204)
        .header("Access-Control-Allow-Origin", is(FRIEND))
        .header("Access-Control-Allow-Methods", containsString("POST"))
        .header("Access-Control-Allow-Headers", is("authorization,content-type"))
        .header("Access-Control-Allow-Credentials", nullValue());
    preflight("https://evil.example")
        .options("/v1/tasks")
        .then()
        .statusCode(403)
        .header("Access-Control-Allow-Origin", nullValue());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "X-None: 1",
        "Content-Type: text/plain",
        "Content-Type: application/x-www-form-urlencoded",
        "Content-Type: multipart/form-data; boundary=x",
        "Content-Type: text/plain; application/json",
        "Content-Type: application/jsonx",
        "Content-Type: application/json, text/plain",
        "Content-Type: "
      })
  void bodyThatIsNotJsonIsRefused(String type) {
    var before = rows();
    var length = "Content-Length: " + TASK.length();
    var chunks = Integer.toHexString(TASK.length()) + "\r\n" + TASK + "\r\n0\r\n\r\n";
    for (var path : List.of("/v1/tasks", "/v1/agents/reload", "/q/health", "/x")) {
      var start = "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + type;
      for (var rest :
          List.of(
              "\r\n" + length + "\r\n\r\n" + TASK,
              "\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)) {
        var answer = RawHttp.sendBytes(port(), start + rest);
        assertThat(answer.status()).as(answer.text()).isEqualTo(415);
        assertThat(answer.text()).contains("must be application/json");
      }
    }

    assertThat(rows()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8"
      })
  void jsonBodyIsAccepted(String type) {
    var answer =
        RawHttp.sendBytes(
            port(),
            "POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: "
                + type
                + "\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n");

    assertThat(answer.status()).as(answer.text()).isEqualTo(201);
  }

  @Test
  void requestWithoutABodyNeedsNoContentType() {
    var session = kit.externalSession();
    for (var header : List.of("X-None: 1", "Content-Length: 0")) {
      var answer =
          raw("POST /v1/sessions/" + session + "/cancel HTTP/1.1", "Host: evil.example", header);
      assertThat(answer.status()).isEqualTo(421);
      answer = raw("POST /v1/sessions/" + session + "/cancel HTTP/1.1", "Host: localhost", header);
      assertThat(answer.status()).isEqualTo(200);
    }
  }

  private static HttpCall json() {
    return given().contentType("application/json");
  }

  private static HttpCall friend() {
    return json().header("Origin", FRIEND).header("Sec-Fetch-Site", "cross-site");
  }

  private static HttpCall preflight(String origin) {
    return given()
        .header("Origin", origin)
        .header("Sec-Fetch-Site", "cross-site")
        .header("Sec-Fetch-Mode", "cors")
        .header("Access-Control-Request-Method", "POST")
        .header("Access-Control-Request-Headers", "authorization,content-type");
  }

  /** How many sessions and tasks there are. */
  private List<Integer> rows() {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select count(*) from session union all select count(*) from task")
            .mapTo(Integer.class)
            .list());
  }

  private Answer raw(String... lines) {
    var all = new ArrayList<>(List.of(lines));
    all.add("Connection: close");
    return RawHttp.send(port(), all.toArray(String[]::new));
  }

  private int port() {
    return Http.uri("/").getPort();
  }
}
