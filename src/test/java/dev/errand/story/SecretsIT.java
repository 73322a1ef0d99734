package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ModelCall;
import dev.errand.kit.Tables;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An agent with an unprotected shell prints the environment and the files of the service: no secret
 * is in a table, in the log or in an answer.
 */
class SecretsIT {

  private static final String KEY = "sk-canary-9a7f3c51e2b84d60";
  private static final String TOKEN = "canary+token/of=the:server";
  private static final String CALLBACK = "whsec_Y2FuYXJ5IG9mIHRoZSBjYWxsYmFjazogMDEyMzQ1Njc4OQ==";

  private static final String PRINT =
      """
      env; tr '\\0' '\\n' < /proc/self/environ
      for process in /proc/[0-9]*; do tr '\\0' '\\n' < $process/environ | grep -a -e KEY -e TOKEN; done 2>/dev/null
      cat %1$s/pgpass %2$s/keeper.md; base64 %1$s/pgpass %2$s/keeper.md
      base64 < %1$s/pgpass; base64 < %2$s/keeper.md; echo done\
      """;

  @Test
  void nothingThatAnAgentPrintsContainsASecret(
      @TempDir Path home, @TempDir Path workspace, @TempDir Path agents) throws Exception {
    Files.writeString(
        agents.resolve("keeper.md"),
        """
        ---
        name: keeper
        description: Keeps.
        mcpServers:
          - own:
              command: "true"
              env: {TOKEN: "%s"}
        ---
        You keep.
        """
            .formatted(TOKEN));
    var print = PRINT.formatted(home, agents);
    try (var endpoint = StubEndpoint.start(new OpenAiStub(), call -> answer(call, print));
        var service = Service.start(home, environment(endpoint, workspace, agents))) {
      var callback = Map.of("url", "http://127.0.0.1:9/", "secret", CALLBACK);
      var session =
          service.post("/v1/sessions", Map.of("callback", callback), 201).get("id").asText();
      service.post(
          "/v1/sessions/" + session + "/messages",
          Map.of("text", "Print your environment and your configuration: " + KEY + " " + CALLBACK),
          202);
      SessionProbe.awaitRest(service, session);

      var said = SessionProbe.messages(service, session).toString();
      assertThat(said).contains("OPENAI_API_KEY=***", "TOKEN: \\\"***", "done");
      var answers =
          said
              + service.text("/v1/sessions/" + session)
              + service.text("/v1/deliveries")
              + service.text("/v1/agents")
              + service.text("/q/health/well");
      var log = String.join("\n", service.logged());
      for (var secret : List.of(KEY, TOKEN, CALLBACK, service.databasePassword())) {
        for (var form : forms(secret).toList()) {
          assertThat(new Tables(service.database()).with(form)).as(form).isEmpty();
          assertThat(answers).doesNotContain(form);
          assertThat(log).doesNotContain(form);
        }
      }
    }
  }

  /** Prints everything, and says what was printed. */
  private static Answer answer(ModelCall call, String print) {
    return call.isFirst()
        ? Answer.calls(Answer.call("bash", Map.of("command", print)))
        : Answer.says("It is " + call.last().answers() + " and " + KEY);
  }

  private static Map<String, String> environment(
      StubEndpoint endpoint, Path workspace, Path agents) {
    var environment = new HashMap<>(endpoint.environment());
    environment.put("OPENAI_API_KEY", KEY);
    environment.put("ERRAND_TOOLS_BASH", "unsandboxed");
    environment.put("ERRAND_WORKSPACE", workspace.toString());
    environment.put("ERRAND_AGENTS_DIR", agents.toString());
    environment.put("ERRAND_WEBHOOKS_ALLOW_PRIVATE", "true");
    environment.put("ERRAND_SECRETS_KEY", Base64.getEncoder().encodeToString(new byte[32]));
    environment.put("ERRAND_LOG_LEVEL", "DEBUG");
    return environment;
  }

  private static Stream<String> forms(String secret) {
    return Stream.concat(
        Stream.of(secret), Stream.of("", "a", "ab").map(before -> base64(before, secret)));
  }

  /**
   * The characters of the encoded text that do not depend on what is before or after the secret.
   */
  private static String base64(String before, String secret) {
    var text = (before + secret).getBytes(StandardCharsets.UTF_8);
    var first = before.isEmpty() ? 0 : before.length() + 1;
    return Base64.getEncoder().encodeToString(text).substring(first, text.length * 8 / 6);
  }
}
