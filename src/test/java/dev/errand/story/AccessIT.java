package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.kit.EventClient;
import dev.errand.kit.Service;
import dev.errand.kit.ServiceCommand;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys of the packaged service, on two nodes with one database. */
class AccessIT {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Duration EFFECTIVE_WITHIN = Duration.ofSeconds(60);

  @TempDir Path home;
  @TempDir Path otherHome;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @Test
  void revokedKeyLosesItsStreamsOnEveryNode() throws Exception {
    var admin = command(Map.of(), "generate");
    var settings = Map.of("ERRAND_AUTH", "keys", "ERRAND_ADMIN_KEY", admin);
    try (var first = Service.start(home, settings);
        var second = Service.startWithoutCopy(otherHome, sameDatabase(first, settings))) {
      var asAdmin = Map.of("ERRAND_ADMIN_KEY", admin, "ERRAND_URL", first.uri("").toString());
      var key = command(asAdmin, "create", "--name", "a client", "--role", "agent");
      var session =
          post(first, "/v1/sessions", key, Map.of("kind", "external"), 201).get("id").asText();
      var events = "/v1/sessions/" + session + "/events";
      try (var here = EventClient.follow(first.uri(events), key);
          var there = EventClient.follow(second.uri(events), key);
          var others = EventClient.follow(second.uri(events), admin)) {
        var streams = List.of(here, there, others);
        await()
            .atMost(EFFECTIVE_WITHIN)
            .until(() -> streams.stream().allMatch(stream -> stream.connections() == 1));

        assertThat(status(second, "/v1/sessions/" + session, key)).isEqualTo(200);
        assertThat(status(second, "/v1/keys", key)).isEqualTo(403);
        assertThat(status(second, "/v1/sessions", admin + "x")).isEqualTo(401);
        assertThat(send(first, "DELETE", "/v1/keys/" + key.split("_")[1], admin, null).statusCode())
            .isEqualTo(204);

        await().atMost(EFFECTIVE_WITHIN).until(() -> here.isRefused() && there.isRefused());
        await().atMost(EFFECTIVE_WITHIN).until(() -> status(second, "/v1/sessions", key) == 401);
        assertThat(status(first, "/v1/sessions", key)).isEqualTo(401);
        assertThat(others.connections()).isEqualTo(1);
        assertThat(others.cuts()).isEmpty();
      }
      assertThat(status(first, "/v1/sessions/" + session, admin)).isEqualTo(200);
      assertThat(String.join("\n", first.logged())).doesNotContain(key, admin);
    }
  }

  @Test
  void mcpThatIsNotServedIsAnUnknownPath() throws Exception {
    var admin = command(Map.of(), "generate");
    var settings = Map.of("ERRAND_AUTH", "keys", "ERRAND_ADMIN_KEY", admin);
    var closed = new HashMap<>(settings);
    closed.put("ERRAND_MCP_SERVER_ENABLED", "false");
    try (var service = Service.start(home, closed)) {
      for (var key : List.of(admin, admin + "x")) {
        for (var method : List.of("POST", "GET", "DELETE")) {
          var mcp = send(service, method, "/mcp", key, "{}");
          var unknown = send(service, method, "/no-such", key, "{}");
          assertThat(mcp.statusCode()).isEqualTo(unknown.statusCode());
          assertThat(mcp.body()).isEqualTo(unknown.body().replace("/no-such", "/mcp"));
        }
      }
      assertThat(send(service, "POST", "/mcp", admin, "{}").statusCode()).isEqualTo(404);
      assertThat(status(service, "/v1/tools?format=mcp", admin)).isEqualTo(200);
    }
  }

  @Test
  void serviceThatOthersCanReachNeedsAChoice() throws Exception {
    assertThat(
            Service.refusal(
                home, Map.of("ERRAND_HOST", "0.0.0.0", "ERRAND_MODEL", "offline:planner")))
        .contains("set ERRAND_AUTH=keys or oidc");
    assertThat(Service.refusal(otherHome, Map.of("ERRAND_AUTH", "oidc")))
        .contains("needs the setting errand.oidc.issuer");
  }

  private static Map<String, String> sameDatabase(Service other, Map<String, String> settings)
      throws IOException {
    var all = new HashMap<>(settings);
    all.putAll(other.databaseEnvironment());
    return all;
  }

  /** What the command prints. */
  private static String command(Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    var line = new ArrayList<>(ServiceCommand.of(ServiceCommand.jar(), 128));
    line.add("key");
    line.addAll(List.of(arguments));
    var builder = new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(environment);
    var process = builder.start();
    var printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(printed).isZero();
    assertThat(printed.strip()).startsWith("err_");
    return printed.strip();
  }

  private JsonNode post(Service service, String path, String key, Object body, int expected)
      throws Exception {
    var answer = send(service, "POST", path, key, JSON.writeValueAsString(body));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(expected);
    return JSON.readTree(answer.body());
  }

  private int status(Service service, String path, String key)
      throws IOException, InterruptedException {
    return send(service, "GET", path, key, null).statusCode();
  }

  private HttpResponse<String> send(
      Service service, String method, String path, String key, @Nullable String body)
      throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(service.uri(path))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .build();
    return http.send(request, BodyHandlers.ofString());
  }
}
