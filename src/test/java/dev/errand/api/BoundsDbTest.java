package dev.errand.api;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import dev.errand.conversation.SessionId;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every field has a limit, names in permissions must exist, and every list can be shown. */
@QuarkusTest
class BoundsDbTest implements Story {

  @Inject TaskKit kit;

  @ParameterizedTest
  @CsvSource({
    "sessions, title, 500",
    "sessions, agent, 100",
    "sessions, model, 200",
    "sessions, workspace, 4096",
    "sessions, origin.channel, 200",
    "sessions, origin.chat_id, 200",
    "sessions, callback.url, 2000",
    "sessions, callback.secret, 200",
    "tasks, description, 500",
    "tasks, label, 100",
    "tasks, model, 200",
    "tasks, prompt, 262144",
    "tasks, subagent_type, 100",
    "tasks, session_id, 100",
    "tasks, command, 500",
    "sessions/{id}/messages, text, 1000000",
    "sessions/{id}/commands, command, 300000"
  })
  void aTextThatIsTooLongIsRefusedByItsName(String list, String field, int most) {
    post(
            "/v1/" + (list.contains("{id}") ? list.replace("{id}", session()) : list),
            field,
            "x".repeat(most + 1))
        .then()
        .statusCode(400)
        .body(
            "errors.find { it.field == '%s' }.message".formatted(field), containsString("" + most));
  }

  @Test
  void aPromptIsLimitedInBytes() {
    post("/v1/tasks", "prompt", "ä".repeat(131_073))
        .then()
        .statusCode(400)
        .body("errors[0].field", is("prompt"))
        .body("errors[0].message", containsString("256 KiB"));
  }

  @Test
  void metadataHasAtMost16KibibytesAndTwentyLevels() {
    post("{\"metadata\": {\"x\": \"%s\"}}".formatted("x".repeat(16 * 1024 - 8)))
        .then()
        .statusCode(201);
    post("{\"metadata\": {\"x\": \"%s\"}}".formatted("x".repeat(16 * 1024 - 7)))
        .then()
        .statusCode(400)
        .body("errors[0].field", is("metadata"))
        .body("errors[0].message", containsString("16 KiB"));
    post("{\"metadata\": %s}".formatted(nested(20))).then().statusCode(201);
    post("{\"metadata\": %s}".formatted(nested(21)))
        .then()
        .statusCode(400)
        .body("errors[0].field", is("metadata"))
        .body("errors[0].message", containsString("20 levels"));
  }

  @ParameterizedTest
  @CsvSource({"49, metadata, 20 levels", "50, metadata, 50 levels", "1200, '', too deeply"})
  void aBodyHasAtMostFiftyLevels(int levels, String field, String message) {
    post("{\"metadata\": %s}".formatted(nested(levels)))
        .then()
        .statusCode(400)
        .body("errors[0].field", is(field))
        .body("errors[0].message", containsString(message));
  }

  private static String nested(int levels) {
    return "{\"x\":".repeat(levels - 1) + "{}" + "}".repeat(levels - 1);
  }

  @Test
  void rowsThatAreOlderThanTheLimitsAreListed() {
    var word = "w" + UUID.randomUUID().toString().replace("-", "");
    var session = kit.externalSession(Map.of("title", word));
    var large = kit.externalSession(Map.of("title", word));
    kit.tamper("update session set metadata = ?::jsonb where id = ?", nested(998), session.value());
    kit.tamper(
        "update session set metadata = jsonb_build_object('x', repeat('x', 5000000)) where id = ?",
        large.value());

    given().get("/v1/sessions?q=" + word).then().statusCode(200).body("items.size()", is(1));
    var next =
        given()
            .get("/v1/sessions?q={q}&cursor={cursor}", word, large.toString())
            .then()
            .statusCode(200);

    assertThat(next.extract().<List<String>>path("items.id")).contains(session.toString());
    assertThat(next.extract().<List<Object>>path("items.metadata")).contains(nested(998));
  }

  @ParameterizedTest
  @CsvSource({
    "Bash, *, bash, *",
    "READ, docs/*, read, docs/*",
    "'*', *, '*', *",
    "Web*, *, web*, *",
    "MultiEdit, *, edit, *",
    "tool, Bash, bash, *",
    "task, Explore, task, explore",
    "Agent, general-purpose, task, general",
    "task, Expl*, task, expl*",
    "mcp__later__search, *, later_search, *",
    "mcp__later, *, later_*, *",
    "mcp__later__*, *, later_*, *",
    "Bash:Changes, *, bash:changes, *",
    "mcp:read-only, *, mcp:read-only, *"
  })
  void namesAreStoredAsToolsAndAgentsHaveThem(
      String permission, String pattern, String storedPermission, String storedPattern) {
    var id = post(rule(permission, pattern)).then().statusCode(201).extract().<String>path("id");

    var layers = kit.look(SessionId.parse(id).orElseThrow()).permissions();

    assertThat(layers.layers().getFirst().rules())
        .singleElement()
        .satisfies(
            stored -> assertThat(stored.permission()).isEqualTo(storedPermission),
            stored -> assertThat(stored.pattern()).isEqualTo(storedPattern));
  }

  @ParameterizedTest
  @CsvSource({
    "Bsh, *, permission, 'tools: bash, edit,'",
    "mcp:server:nowhere, *, permission, 'groups: mcp:read-only, mcp:changes'",
    "fetch*, *, permission, unknown name",
    "tool, Bsh, pattern, 'tools: bash, edit,'",
    "task, explorer, pattern, 'agents: primary, general, explore'",
    "'', *, permission, is required"
  })
  void unknownNamesInPermissionsAreRefusedWithThoseThatExist(
      String permission, String pattern, String field, String message) {
    post(rule(permission, pattern))
        .then()
        .statusCode(400)
        .body("errors[0].field", is("permissions[0]." + field))
        .body("errors[0].message", containsString(message));
  }

  private static String rule(String permission, String pattern) {
    return """
    {"permissions": [{"permission": "%s", "pattern": "%s", "action": "deny"}]}\
    """
        .formatted(permission, pattern);
  }

  @Test
  void aMissingRuleIsRefusedByItsPlace() {
    post("{\"permissions\": [null]}")
        .then()
        .statusCode(400)
        .body("errors[0].field", is("permissions[0]"));
  }

  @Test
  void aSessionHasAtMostAHundredRules() {
    var one = Map.of("permission", "read", "pattern", "*", "action", "deny");
    var rules = Map.of("permissions", Collections.nCopies(101, one));

    given()
        .contentType("application/json")
        .body(rules)
        .post("/v1/sessions")
        .then()
        .statusCode(400)
        .body("errors[0].field", is("permissions"));
  }

  @Test
  void atMostTenKeysOfMetadataAreSearched() {
    var request = given();
    List.of("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k")
        .forEach(key -> request.queryParam("metadata." + key, "x"));

    request
        .get("/v1/sessions")
        .then()
        .statusCode(400)
        .body("errors[0].field", is("metadata.<key>"));
  }

  private String session() {
    return kit.session(_ -> {}).toString();
  }

  /** Posts what is required and one field, which may be inside of an object. */
  private static HttpAnswer post(String path, String field, String value) {
    var body = new HashMap<String, Object>();
    if (path.equals("/v1/tasks")) {
      body.putAll(Map.of("description", "a task", "prompt", "do it"));
    }
    var dot = field.indexOf('.');
    if (dot < 0) {
      body.put(field, value);
    } else {
      var inner = new HashMap<String, Object>(Map.of("url", "http://127.0.0.1:9/"));
      if (!field.startsWith("callback")) {
        inner.clear();
      }
      inner.put(field.substring(dot + 1), value);
      body.put(field.substring(0, dot), inner);
    }
    return given().contentType("application/json").body(body).post(path);
  }

  private static HttpAnswer post(String body) {
    return given().contentType("application/json").body(body).post("/v1/sessions");
  }
}
