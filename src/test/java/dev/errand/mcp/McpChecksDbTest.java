package dev.errand.mcp;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.McpClient;
import io.quarkus.test.junit.QuarkusTest;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.hamcrest.Matchers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The checks of requests, and what is answered without a task. */
@QuarkusTest
class McpChecksDbTest {

  private static final String META =
      """
      "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}\
      """;

  private static final Map<String, String> MODERN =
      Map.of("MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/list");

  private static Arguments row(Map<String, String> headers, String body, int status, int code) {
    return Arguments.of(headers, body, status, code);
  }

  private static String request(String method, String params) {
    return "{\"jsonrpc\": \"2.0\", \"id\": 7, \"method\": \"%s\", \"params\": {%s}}"
        .formatted(method, params);
  }

  private static Map<String, String> headers(String method, String name) {
    return Map.of("MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method, "Mcp-Name", name);
  }

  private static Map<String, String> headers(String method) {
    return Map.of("MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method);
  }

  static Stream<Arguments> refused() {
    var declared = META.replace("{}", "{\"extensions\": {\"io.modelcontextprotocol/tasks\": {}}}");
    return Stream.of(
        row(MODERN, "", 400, -32700),
        row(MODERN, "{", 400, -32700),
        row(MODERN, "{} {}", 400, -32700),
        row(MODERN, "[".repeat(2000) + "]".repeat(2000), 400, -32700),
        row(MODERN, "[]", 400, -32600),
        row(MODERN, "[" + request("tools/list", META) + "]", 400, -32600),
        row(MODERN, "7", 400, -32600),
        row(MODERN, "null", 400, -32600),
        row(MODERN, "{\"jsonrpc\": \"1.0\", \"id\": 1, \"method\": \"ping\"}", 400, -32600),
        row(MODERN, "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": 7}", 400, -32600),
        row(MODERN, "{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {}}", 400, -32600),
        row(MODERN, "{\"jsonrpc\": \"2.0\", \"id\": null, \"method\": \"ping\"}", 400, -32600),
        row(MODERN, "{\"jsonrpc\": \"2.0\", \"id\": 1.5, \"method\": \"ping\"}", 400, -32600),
        row(MODERN, "{\"jsonrpc\": \"2.0\", \"id\": {}, \"method\": \"ping\"}", 400, -32600),
        row(MODERN, request("tools/list", ""), 400, -32602),
        row(
            MODERN,
            request("tools/list", META.replace("\"io.modelcontextprotocol/clientC", "\"x/c")),
            400,
            -32602),
        row(
            MODERN,
            "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/list\", \"params\": [1]}",
            400,
            -32602),
        row(Map.of(), request("tools/list", META), 400, -32020),
        row(
            Map.of("MCP-Protocol-Version", "2025-11-25", "Mcp-Method", "tools/list"),
            request("tools/list", META),
            400,
            -32020),
        row(headers("tools/call"), request("tools/list", META), 400, -32020),
        row(
            headers("tools/call"),
            request("tools/call", "\"name\": \"task\", " + META),
            400,
            -32020),
        row(
            headers("tools/call", "other"),
            request("tools/call", "\"name\": \"task\", " + META),
            400,
            -32020),
        row(
            headers("tools/call", "=?base64?!?="),
            request("tools/call", "\"name\": \"task\", " + META),
            400,
            -32020),
        row(
            Map.of("MCP-Protocol-Version", "1900-01-01", "Mcp-Method", "tools/list"),
            request("tools/list", META.replace("2026-07-28", "1900-01-01")),
            400,
            -32022),
        row(headers("no/such"), request("no/such", META), 404, -32601),
        row(headers("initialize"), request("initialize", META), 404, -32601),
        row(headers("ping"), request("ping", META), 404, -32601),
        row(
            headers("tasks/get", "x"),
            request("tasks/get", "\"taskId\": \"x\", " + META),
            400,
            -32021),
        row(
            headers("tasks/get", "x"),
            request("tasks/get", "\"taskId\": \"x\", " + declared),
            200,
            -32602),
        row(headers("tasks/cancel"), request("tasks/cancel", declared), 200, -32602),
        row(headers("tools/call"), request("tools/call", META), 200, -32602),
        row(
            headers("tools/call", "no_such"),
            request("tools/call", "\"name\": \"no_such\", " + META),
            200,
            -32602),
        row(
            headers("tools/call", "=?base64?dGFzaw==?="),
            request("tools/call", "\"name\": \"task\", \"arguments\": 7, " + META),
            200,
            -32602),
        row(
            headers("tools/list"),
            request("tools/list", "\"cursor\": \"2\", " + META),
            200,
            -32602),
        row(Map.of(), request("no/such", ""), 200, -32601),
        row(Map.of(), request("tasks/get", ""), 200, -32601),
        row(Map.of(), request("server/discover", ""), 200, -32601),
        row(Map.of(), request("initialize", ""), 200, -32602),
        row(Map.of("MCP-Protocol-Version", "2025-06-18"), request("no/such", ""), 200, -32601));
  }

  @ParameterizedTest
  @MethodSource
  void refused(Map<String, String> headers, String body, int status, int code) {
    post(headers, body)
        .then()
        .statusCode(status)
        .contentType("application/json")
        .body("jsonrpc", is("2.0"), "error.code", is(code), "error.message", notNullValue());
  }

  private static HttpAnswer post(Map<String, String> headers, String body) {
    return given().contentType("application/json").headers(headers).body(body).post("/mcp");
  }

  @Test
  void faultsSayWhatIsServedOrMissing() {
    var version = META.replace("2026-07-28", "1900-01-01");
    post(
            Map.of("MCP-Protocol-Version", "1900-01-01", "Mcp-Method", "tools/list"),
            request("tools/list", version))
        .then()
        .body("id", is(7), "error.data.requested", is("1900-01-01"))
        .body(
            "error.data.supported",
            containsInAnyOrder("2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"));
    String asked =
        post(headers("tasks/get", "x"), request("tasks/get", "\"taskId\": \"x\", " + META))
            .asString();

    assertThat(asked)
        .contains(
            "\"requiredCapabilities\":{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"notifications/initialized", "notifications/cancelled", "no/such"})
  void notificationsAreAcceptedWithoutAnAnswer(String method) {
    var answer = post(Map.of(), "{\"jsonrpc\": \"2.0\", \"method\": \"%s\"}".formatted(method));

    answer.then().statusCode(202).body(is(""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "DELETE"})
  void otherMethodsAreNotAllowed(String method) {
    given()
        .accept("text/event-stream")
        .send(method, "/mcp")
        .statusCode(405)
        .header("Allow", "POST");
  }

  @Test
  void pagesOfOtherOriginsAreRefused() {
    var headers = Map.of("Origin", "https://evil.example");

    post(headers, request("ping", "")).statusCode(403);
  }

  @Test
  void discoveryNamesVersionsCapabilitiesAndAgents() {
    McpClient.modern()
        .call("server/discover", Map.of())
        .then()
        .statusCode(200)
        .body("result.resultType", is("complete"))
        .body("result.supportedVersions[0]", is("2026-07-28"))
        .body("result.capabilities.tools", equalTo(Map.of()))
        .body("result.cacheScope", is("public"), "result.ttlMs", is(60_000))
        .body("result.instructions", Matchers.containsString("- explore: "));
  }

  @ParameterizedTest
  @CsvSource({"2025-03-26,2025-03-26", "2025-11-25,2025-11-25", "2024-11-05,2025-11-25"})
  void initializeAgreesOnAVersion(String wanted, String served) {
    var params =
        "\"protocolVersion\": \"%s\", \"capabilities\": {}, \"clientInfo\": {\"name\": \"t\", \"version\": \"1\"}"
            .formatted(wanted);

    post(Map.of(), request("initialize", params))
        .then()
        .statusCode(200)
        .header("Mcp-Session-Id", nullValue())
        .body("result.protocolVersion", is(served))
        .body("result.capabilities", equalTo(Map.of("tools", Map.of())))
        .body("result.serverInfo.name", is("errand"), "result.resultType", nullValue());
  }

  @Test
  void legacyClientsArePingedBack() {
    McpClient.legacy("2025-06-18")
        .call("ping", Map.of())
        .then()
        .statusCode(200)
        .body("result", equalTo(Map.of()));
  }

  @Test
  void toolsFitEveryClient() {
    var answer = McpClient.modern().call("tools/list", Map.of()).statusCode(200);

    List<String> names = answer.path("result.tools.name");
    assertThat(names).containsExactly("task", "task_output", "task_cancel", "task_list");
    var tools = answer.as(JsonNode.class).at("/result/tools");
    assertThat(tools)
        .allSatisfy(tool -> {
          assertThat(tool.at("/inputSchema/type").asText()).isEqualTo("object");
          assertThat(tool.get("inputSchema").has("anyOf")).isFalse();
          assertThat(tool.get("inputSchema").has("oneOf")).isFalse();
          assertThat(tool.get("inputSchema").has("allOf")).isFalse();
          assertThat(tool.has("outputSchema")).isFalse();
          assertThat(tool.findValuesAsText("description"))
              .allMatch(text -> text.length() <= 1_024)
              .noneMatch(text -> text.contains("notice"));
        });
    assertThat(tools.findValues("readOnlyHint").stream().map(JsonNode::asBoolean))
        .containsExactly(false, true, false, true);
    assertThat(tools.get(0).at("/_meta/anthropic~1alwaysLoad").asBoolean()).isTrue();
    assertThat(tools.get(1).at("/_meta/anthropic~1maxResultSizeChars").asInt()).isEqualTo(500_000);
  }

  @Test
  void onlyTheModernListIsCacheable() {
    McpClient.legacy("2025-11-25")
        .call("tools/list", Map.of())
        .then()
        .statusCode(200)
        .body("result.ttlMs", nullValue(), "result.resultType", nullValue())
        .body("result.tools[0].name", is("task"));
  }
}
