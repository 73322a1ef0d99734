package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ModelCall;
import dev.errand.kit.Tables;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * The packaged service with agent files of its operator, one of which contains a secret, and with
 * an unprotected shell.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AgentFilesIT {

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

  private static final String KEEPER =
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
          .formatted(TOKEN);

  private final StubEndpoint endpoint;
  private final Service service;

  AgentFilesIT(@TempDir Path directory) throws IOException {
    var home = directory.resolve("home");
    var agents = Files.createDirectories(directory.resolve("agents"));
    var workspace = Files.createDirectories(directory.resolve("workspace"));
    Files.writeString(agents.resolve("keeper.md"), KEEPER);
    writeReviewer(agents, "description: Reviews.\nmodel: Small\nflavour: mint\n");
    Files.createDirectory(agents.resolve("reviewer"));
    Files.writeString(agents.resolve("README.md"), "# Agents\n");
    Files.writeString(
        agents.resolve("broken.md"), "---\nname: broken\ntools: Read Grep\n---\nNo.\n");
    Files.createDirectory(agents.resolve("engineering"));
    Files.writeString(
        agents.resolve("engineering/backend.md"),
        "---\nname: Backend Developer\ndescription: Builds: all of it\ntools: *\n---\nYou build.\n");
    Files.writeString(
        agents.resolve("reviewer/scout.md"),
        "---\nname: scout\ndescription: Looks.\ntools: Read, Bash(git:*)\n---\nYou look.\n");
    var print = PRINT.formatted(home, agents);
    endpoint = StubEndpoint.start(new OpenAiStub(), call -> answer(call, print));
    service = Service.start(home, environment(endpoint, workspace, agents));
  }

  private static Map<String, String> environment(
      StubEndpoint endpoint, Path workspace, Path agents) {
    var environment = new HashMap<>(endpoint.environment());
    environment.put("OPENAI_API_KEY", KEY);
    environment.put("ERRAND_TOOLS_BASH", "unsandboxed");
    environment.put("ERRAND_WORKSPACE", workspace.toString());
    environment.put("ERRAND_AGENTS_DIR", agents.toString());
    environment.put("ERRAND_AGENTS_EXPLORE_MAX_TURNS", "9");
    environment.put("ERRAND_MODEL_ALIASES_SMALL", "offline:planner");
    environment.put("ERRAND_WEBHOOKS_ALLOW_PRIVATE", "true");
    environment.put("ERRAND_SECRETS_KEY", Base64.getEncoder().encodeToString(new byte[32]));
    environment.put("ERRAND_LOG_LEVEL", "DEBUG");
    return environment;
  }

  private static void writeReviewer(Path agents, String fields) throws IOException {
    Files.writeString(
        agents.resolve("reviewer.md"), "---\nname: reviewer\n" + fields + "---\nYou review.\n");
  }

  /** Prints everything, and says what was printed. */
  private static Answer answer(ModelCall call, String print) {
    return call.isFirst()
        ? Answer.calls(Answer.call("bash", Map.of("command", print)))
        : Answer.says("It is " + call.last().answers() + " and " + KEY);
  }

  @AfterAll
  void stop() throws Exception {
    service.close();
    endpoint.close();
  }

  @Test
  void brokenFilePreventsTheStartWithOneSentenceIfFilesAreStrict(
      @TempDir Path home, @TempDir Path agents) throws Exception {
    writeReviewer(agents, "description: Reviews.\nmaxTurns: many\n");

    var log =
        Service.refusal(
            home, Map.of("ERRAND_AGENTS_DIR", agents.toString(), "ERRAND_AGENTS_STRICT", "true"));

    assertThat(log.lines())
        .filteredOn(line -> line.contains("reviewer.md"))
        .containsExactly(
            "Agent file %s:4: 'maxTurns' must be a whole number from 1 to 1000"
                .formatted(agents.resolve("reviewer.md")));
    assertThat(log).doesNotContain("\tat ", "Exception");
  }

  @Test
  void settingWithAnUnknownKeyPreventsTheStart(@TempDir Path home) throws Exception {
    var log =
        Service.refusal(home, Map.of("JAVA_TOOL_OPTIONS", "-Derrand.agents.explore.max-turn=3"));

    assertThat(log).contains("errand.agents.explore.max-turn").doesNotContain("\tat ");
  }

  @Test
  void filesAliasesSettingsAndLimitsOfTheShippedServiceAreInEffect() {
    assertThat(service.get("/v1/agents/reviewer/scout").get("parent").asText())
        .isEqualTo("reviewer");
    assertThat(service.get("/v1/agents/explore").get("max_turns").asInt()).isEqualTo(9);
    var session = service.post("/v1/sessions", Map.of("model", "Opus"), 201);
    assertThat(session.get("model").asText()).isEqualTo("openai:gpt-test");
    assertThat(session.get("limits").get("max_delegations").asInt()).isEqualTo(64);
    assertThat(session.get("limits").get("max_background_tasks").asInt()).isEqualTo(10);
    var agent = service.get("/v1/agents/reviewer");

    assertThat(agent.get("source").asText()).isEqualTo("reviewer.md");
    assertThat(agent.get("model").asText()).isEqualTo("offline:planner");
    assertThat(service.post("/v1/agents/reload", Map.of(), 200).get("warnings").get(0).asText())
        .startsWith("reviewer.md:5: unknown key 'flavour'");
  }

  @Test
  void collectionWithABrokenFileDoesNotStopTheStart() throws Exception {
    var agents = service.get("/v1/agents");

    assertThat(agents.get("problems")).hasSize(1);
    assertThat(agents.get("problems").get(0).get("file").asText()).isEqualTo("broken.md");
    assertThat(service.get("/v1/agents/backend-developer").get("source").asText())
        .isEqualTo("engineering/backend.md");
    service.post("/v1/agents/reload", Map.of(), 200);
    assertThat(service.logged()).filteredOn(line -> line.contains("broken.md:")).hasSize(1);
    assertThat(service.text("/q/metrics")).contains("errand_agent_files_broken 1.0");
  }

  /** No secret is in a table, in the log or in an answer. */
  @Test
  void nothingThatAnAgentPrintsContainsASecret() throws Exception {
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
    var forms =
        Stream.of(KEY, TOKEN, CALLBACK, service.databasePassword())
            .flatMap(AgentFilesIT::forms)
            .toArray(String[]::new);
    assertThat(new Tables(service.database()).with(forms)).isEmpty();
    assertThat(answers).doesNotContain(forms);
    assertThat(log).doesNotContain(forms);
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
