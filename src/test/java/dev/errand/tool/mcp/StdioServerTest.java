package dev.errand.tool.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.errand.agent.PlainAgents;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.permission.Permissions;
import dev.errand.permission.Rule;
import dev.errand.tool.ToolOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StdioServerTest {

  private final McpKit kit = new McpKit();

  @AfterEach
  void stop() {
    kit.close();
  }

  @Test
  void toolsOfAServerAreOfferedWithTheirSchemasAndCalled() {
    kit.running(odd("files", "good"));

    assertThat(kit.call("files_echo", Map.of("text", "hello"))).isEqualTo(ToolOutcome.ok("hello"));
    assertThat(kit.call("FILES_ECHO", Map.of("text", "hello")).isError()).isFalse();
    var echo = definition("files_echo");
    assertThat(echo.description()).isEqualTo("Returns its text.");
    assertThat(echo.parameters().at("/properties/text/minLength").asInt()).isEqualTo(2);
    assertThat(echo.parameters().at("/properties/text/format").asText()).isEqualTo("x-odd");
    assertThat(echo.parameters().at("/properties/extra").toString())
        .isEqualTo("{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}}");
  }

  @Test
  void argumentsAreCheckedBeforeTheServerSeesThem() {
    kit.running(odd("files", "good"));

    assertThat(kit.call("files_echo", Map.of("text", "x")).text())
        .isEqualTo("Invalid arguments for files_echo: text: must have at least 2 characters");
    assertThat(kit.call("files_echo", Map.of("text", "xx", "extra", Map.of("a", "b"))).text())
        .contains("extra.a: must be an integer");
  }

  @Test
  void errorsOfTheServerAreErrorResults() {
    kit.running(odd("files", "good"));

    assertThat(kit.call("files_fail", Map.of())).isEqualTo(ToolOutcome.error("it went wrong"));
    assertThat(kit.call("files_refuse", Map.of()))
        .isEqualTo(ToolOutcome.error("The MCP server 'files' refused the call: not today"));
    assertThat(kit.call("files_picture", Map.of()).text())
        .isEqualTo("(image, image/png: not shown)\ntext");
  }

  @Test
  void onlyReadOnlyToolsMayBeRepeated() {
    kit.running(odd("files", "good"));

    assertThat(kit.toolBox().find("files_echo").orElseThrow().effect()).isEqualTo(ToolEffect.PURE);
    assertThat(kit.toolBox().find("files_die").orElseThrow().effect())
        .isEqualTo(ToolEffect.SIDE_EFFECT);
  }

  @Test
  void explorersAndPlannersGetOnlyReadOnlyTools() {
    kit.running(odd("files", "good"));

    for (var agent : List.of("explore", "plan")) {
      var permissions = childOfAll(agent);
      assertThat(names(permissions)).containsExactlyInAnyOrder("files_echo", "files_never");
      assertThat(kit.call("files_fail", Map.of(), permissions).text())
          .startsWith("Permission denied");
    }
    assertThat(names(childOfAll("general"))).contains("files_fail", "files_echo");
  }

  @Test
  void rulesMayNameToolsAndServers() {
    kit.running(odd("files", "good"));
    var none = Permissions.ALL.narrowedBy(List.of(Rule.deny("files_*")));
    var some =
        Permissions.ALL.narrowedBy(List.of(Rule.deny(McpTool.CHANGES), Rule.allow("files_fail")));

    assertThat(names(none)).isEmpty();
    assertThat(names(some)).containsExactly("files_echo", "files_fail", "files_never");
  }

  @Test
  void newToolsAreOffered() {
    kit.running(odd("files", "good"));
    assertThat(names(Permissions.ALL)).doesNotContain("files_grown");

    kit.call("files_grow", Map.of());

    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(names(Permissions.ALL)).contains("files_grown"));
    assertThat(kit.call("files_grown", Map.of("any", 1)).text()).isEqualTo("{\"any\":1}");
  }

  @Test
  void processInheritsOnlyCommonEnvironmentVariables() {
    kit.running(odd("files", "good"));

    var seen = List.of(kit.call("files_environment", Map.of()).text().split(" "));

    assertThat(seen).contains("ODD_TOKEN", "PATH");
    assertThat(seen)
        .allMatch(name ->
            Set.of(
                    "ODD_TOKEN",
                    "PATH",
                    "HOME",
                    "USER",
                    "LOGNAME",
                    "SHELL",
                    "LANG",
                    "LC_ALL",
                    "LC_CTYPE",
                    "TZ",
                    "TERM",
                    "TMPDIR")
                .contains(name));
  }

  @Test
  void unusableNamesAndSchemasAreReplaced() {
    kit.running(odd("h", "hostile"));

    assertThat(names(Permissions.ALL))
        .hasSize(8)
        .allMatch(name -> name.matches("[a-zA-Z0-9_-]{1,64}"))
        .contains("h_a_b")
        .anyMatch(name -> name.matches("h_a_b_[0-9a-f]{8}"))
        .anyMatch(name -> name.matches("h_n{53}_[0-9a-f]{8}"));
    assertThat(offered("h_strange-field").description())
        .isEqualTo("strange-field\nFurther fields: \"no good!\" (any value)");
    assertThat(kit.call("h_strange-field", Map.of("no good!", 1)).text())
        .isEqualTo("{\"no good!\":1}");
    for (var name : List.of("h_lost-ref", "h_not-a-schema")) {
      assertThat(definition(name).parameters().toString())
          .isEqualTo("{\"type\":\"object\",\"properties\":{},\"additionalProperties\":true}");
      assertThat(kit.call(name, Map.of("x", 1)).text()).isEqualTo("{\"x\":1}");
    }
    assertThat(kit.call("h_bad-pattern", Map.of("x", "b")).text()).isEqualTo("{\"x\":\"b\"}");
  }

  @Test
  void toolsOfTheServiceKeepTheirNames() {
    var own = new OwnTool("task_output");
    try (var both = new McpKit(own)) {
      both.running(odd("task", "hostile"));

      assertThat(both.toolBox().find("task_output")).contains(own);
      assertThat(both.call("task_output", Map.of()).text()).isEqualTo("own result");
    }
  }

  @Test
  void onlyConfiguredToolsAreOffered() {
    var all = odd("files", "good");
    kit.running(
        new ServerDefinition(
            "files", all.place(), all.timeout(), all.startTimeout(), Set.of("echo", "no-such")));

    assertThat(names(Permissions.ALL)).containsExactly("files_echo");
  }

  @Test
  void namesOfServersAreUnique() {
    kit.servers().add(McpKit.process("twice", List.of("/no/such/program")));

    assertThatThrownBy(
            () -> kit.servers().add(McpKit.process("twice", List.of("/no/such/program"))))
        .hasMessage("There are two MCP servers named 'twice'.");
  }

  private static Permissions childOfAll(String agent) {
    return PlainAgents.builtIn().of("default").find(agent).orElseThrow().asChildOf(Permissions.ALL);
  }

  private static ServerDefinition odd(String name, String mode) {
    return McpKit.process(name, OddServer.command(mode));
  }

  private ToolDefinition offered(String name) {
    return kit.toolBox().offered(Permissions.ALL).stream()
        .filter(tool -> tool.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private ToolDefinition definition(String name) {
    return kit.toolBox().find(name).orElseThrow().definition();
  }

  private List<String> names(Permissions permissions) {
    return kit.toolBox().offered(permissions).stream().map(ToolDefinition::name).toList();
  }
}
