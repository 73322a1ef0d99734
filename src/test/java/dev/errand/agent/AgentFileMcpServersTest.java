package dev.errand.agent;

import static dev.errand.agent.AgentFileFolder.BODY;
import static dev.errand.agent.AgentFileFolder.HEAD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.errand.markdown.BrokenFile;
import dev.errand.permission.Permissions;
import dev.errand.tool.mcp.McpConfig;
import dev.errand.tool.mcp.ServerDefinition;
import dev.errand.tool.mcp.ServerDefinition.AgentMcpServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class AgentFileMcpServersTest {

  @TempDir Path temporary;

  private AgentFileFolder folder;

  @BeforeEach
  void use() {
    folder = new AgentFileFolder(temporary);
  }

  @Test
  void onlyNamedServersMayBeUsed() throws IOException {
    var servers = new HashMap<String, McpConfig.Server>();
    servers.put("github", null);
    servers.put("jira", null);
    folder.write(
        "tester.md",
        HEAD + "tools: ['*']\nmcpServers:\n- jira\n- wiki\n- own: {command: x}\n" + BODY);

    var found =
        PlainAgents.files(temporary, servers).read("default", AgentFiles.LoadedAgents.NOTHING);
    var child = found.catalog().find("tester").orElseThrow().asChildOf(Permissions.ALL);

    assertThat(child.mayEverAllow(List.of("jira_x", "mcp:changes", "mcp:server:jira"))).isTrue();
    assertThat(child.mayEverAllow(List.of("github_x", "mcp:changes", "mcp:server:github")))
        .isFalse();
    assertThat(found.diagnostics().warnings())
        .containsExactly("tester.md:7: there is no MCP server 'wiki'");
    assertThat(found.servers())
        .extracting(AgentMcpServer::agent, own -> own.definition().name())
        .containsExactly(tuple("tester", "own"));
  }

  @Test
  void filesMayDefineServers() throws IOException {
    folder.write(
        "tester.md",
        HEAD
            + """
            tools: Read, own_echo, mcp__web__search
            mcpServers:
              - own:
                  type: stdio
                  command: npx
                  args: [-y, "a server"]
                  env: {NODE_ENV: production}
                  timeout: 1500
                  start_timeout: 2500
                  tools: [echo]
              - web: {type: http, url: "https://example.com/mcp", headers: {X-Token: secret}}
            """
            + BODY);

    var found = folder.read();

    assertThat(found.diagnostics().warnings()).isEmpty();
    assertThat(found.servers())
        .containsExactly(
            new AgentMcpServer(
                "tester",
                new ServerDefinition(
                    "own",
                    new ServerDefinition.ServerAddress.Command(
                        List.of("npx", "-y", "a server"), Map.of("NODE_ENV", "production")),
                    Duration.ofMillis(1500),
                    Duration.ofMillis(2500),
                    Set.of("echo"))),
            new AgentMcpServer(
                "tester",
                new ServerDefinition(
                    "web",
                    new ServerDefinition.ServerAddress.Url(
                        URI.create("https://example.com/mcp"), Map.of("X-Token", "secret")),
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(30),
                    null)));
  }

  static Stream<Arguments> brokenServers() {
    return Stream.of(
        Arguments.of("own: npx", "'mcpServers.own' must be lines of the form 'key: value'"),
        Arguments.of("own: {}", "'mcpServers.own' needs either command or url, and not both"),
        Arguments.of(
            "own: {command: x, url: 'http://x'}",
            "'mcpServers.own' needs either command or url, and not both"),
        Arguments.of("own: {command: ''}", "'mcpServers.own.command' must name a program"),
        Arguments.of(
            "own: {command: 7}",
            "'mcpServers.own.command' must be a text; put quotes around the value"),
        Arguments.of(
            "own: {command: x, args: [1]}",
            "'mcpServers.own.args' must be a text; put quotes around the value"),
        Arguments.of(
            "own: {command: x, env: {PORT: 80}}",
            "'mcpServers.own.env.PORT' must be a text; put quotes around the value"),
        Arguments.of(
            "own: {command: x, env: [a]}",
            "'mcpServers.own.env' must be lines of the form 'key: value'"),
        Arguments.of(
            "own: {command: x, headers: {a: b}}",
            "'mcpServers.own.headers' is only for servers with a url"),
        Arguments.of(
            "own: {command: x, type: sse}",
            "'mcpServers.own.type' must be stdio for a server with a command"),
        Arguments.of(
            "own: {command: x, colour: red}",
            "'mcpServers.own.colour' is unknown; known: type, command, args, env, url, headers,"
                + " timeout, startTimeout, tools"),
        Arguments.of("own: {command: x, command: y}", "'mcpServers.own.command' is given twice"),
        Arguments.of(
            "own: {command: x, timeout: 5s}",
            "'mcpServers.own.timeout' must be a whole number of milliseconds from 1 to 86400000"),
        Arguments.of(
            "own: {url: 'ftp://x'}",
            "'mcpServers.own.url' must begin with https:// or http://, for example"
                + " https://api.example.com/v1"),
        Arguments.of(
            "own: {url: 'http://x', args: [a]}",
            "'mcpServers.own.args' is only for servers with a command"),
        Arguments.of(
            "own: {url: 'http://x', type: sse}",
            "'mcpServers.own.type' must be http for a server with a url"),
        Arguments.of(
            "own: {url: 'http://x', headers: {'a b': c}}",
            "'mcpServers.own.headers' has 'a b', which is not a header that can be sent"),
        Arguments.of(
            "My_Own: {command: x}",
            "'mcpServers.My_Own' must have a name of 1 to 32 of a-z, 0-9 and '-'"),
        Arguments.of(
            "jira: {command: x}",
            "'mcpServers.jira' is a configured MCP server already; choose another name, or give"
                + " only the name to use that server"));
  }

  @ParameterizedTest
  @MethodSource("brokenServers")
  void errorNamesFileLineAndField(String definition, String problem) throws IOException {
    folder.write("tester.md", HEAD + "mcpServers:\n  - " + definition + "\n" + BODY);
    var configured = new HashMap<String, McpConfig.Server>();
    configured.put("jira", null);

    var found =
        PlainAgents.files(temporary, configured).read("default", AgentFiles.LoadedAgents.NOTHING);

    assertThat(found.diagnostics().problems())
        .extracting(BrokenFile::sentence)
        .containsExactly("tester.md:5: " + problem);
  }

  @Test
  void namesOfServersAreUnique() throws IOException {
    var servers = "mcpServers:\n  - own: {command: x}\n";
    folder.write("a.md", "---\nname: a\ndescription: Tests.\n" + servers + BODY);
    folder.write("b.md", "---\nname: b\ndescription: Tests.\n" + servers + BODY);

    assertThat(folder.problems())
        .containsExactly(
            "b.md:5: 'mcpServers.own' is a server of agent a already;"
                + " choose another name, or configure one server for both");
  }
}
