package dev.errand.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.errand.agent.AgentDefinition.Mode;
import dev.errand.markdown.BrokenFile;
import dev.errand.permission.Permissions;
import dev.errand.tool.mcp.AgentMcpServer;
import dev.errand.tool.mcp.McpConfig;
import dev.errand.tool.mcp.ServerDefinition;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class AgentFilesTest {

  private static final String HEAD = "---\nname: tester\ndescription: Tests.\n";
  private static final String BODY = "---\nYou test.\n";

  @TempDir Path folder;

  @Test
  void everyFieldIsRead() throws IOException {
    write(
        "reviewer.md",
        """
        ---
        name: Reviewer
        description: Reads code,
          finds faults.
        mode: all
        model: Quick
        tools: [Read, Grep]
        max_turns: 7
        maxRetries: 0
        timeout: 90000
        subagents: explore
        ---

        You review.

        Your task: {task_description}
        """);

    var found = files().read();
    var agent = found.catalog().find("reviewer").orElseThrow();

    assertThat(found.warnings()).isEmpty();
    assertThat(agent.name()).isEqualTo("reviewer");
    assertThat(agent.summary()).isEqualTo("Reads code, finds faults.");
    assertThat(agent.mode()).isEqualTo(Mode.ALL);
    assertThat(agent.source()).isEqualTo("reviewer.md");
    assertThat(agent.promptFor("$1 \\ x")).isEqualTo("You review.\n\nYour task: $1 \\ x");
    assertThat(agent.terms())
        .isEqualTo(
            new AgentDefinition.Terms(
                "offline:small", List.of("explore"), 7, 0, Duration.ofSeconds(90)));
  }

  /** As Kubernetes mounts one: what counts are links into a folder that a link stands for. */
  @Test
  void agentsOfAMountedConfigMapAreThere() throws IOException {
    write("reviewer.md", "---\nname: reviewer\ndescription: Reads code.\n---\nYou review.\n");
    var version = Files.createDirectory(folder.resolve("..2026_11"));
    Files.move(folder.resolve("reviewer.md"), version.resolve("reviewer.md"));
    Files.createSymbolicLink(folder.resolve("..data"), Path.of("..2026_11"));
    Files.createSymbolicLink(folder.resolve("reviewer.md"), Path.of("..data/reviewer.md"));

    assertThat(files().read().catalog().find("reviewer")).isPresent();
  }

  @Test
  void whatAFileLeavesOutIsAsForBuiltInAgents() throws IOException {
    var agent = tester("");

    assertThat(agent.mode()).isEqualTo(Mode.SUBAGENT);
    assertThat(agent.terms())
        .isEqualTo(new AgentDefinition.Terms(null, List.of(), 15, 2, Duration.ofMinutes(5)));
    assertThat(tester("mode: primary").terms().maxTurns()).isEqualTo(40);
  }

  @Test
  void windowsLineEndsAndByteOrderMarksDoNotMatter() throws IOException {
    write("tester.md", "\uFEFF" + (HEAD + "max-turns: 3 # few\n" + BODY).replace("\n", "\r\n"));

    assertThat(files().read().catalog().find("tester").orElseThrow())
        .satisfies(
            agent -> assertThat(agent.prompt()).isEqualTo("You test."),
            agent -> assertThat(agent.terms().maxTurns()).isEqualTo(3));
  }

  static Stream<Arguments> broken() {
    return Stream.of(
        Arguments.of("You test.\n", 1, "must begin with a line '---'"),
        Arguments.of("", 1, "must begin with a line '---'"),
        Arguments.of("---\nname: x\n", 1, "second line '---' is missing"),
        Arguments.of("---\n---\nYou test.", 1, "'name' is missing"),
        Arguments.of("---\n- name\n---\nYou test.", 2, "key: value"),
        Arguments.of("---\ndescription: Tests.\n" + BODY, 1, "'name' is missing"),
        Arguments.of("---\nname: tester\n" + BODY, 1, "'description' is missing"),
        Arguments.of(HEAD + "---\n\n \n", 1, "prompt is missing"),
        Arguments.of("---\nname: tester\ndescription: Use it: often\n" + BODY, 3, "needs quotes"),
        Arguments.of(HEAD + "tools: [read\n" + BODY, 4, "not valid YAML"),
        Arguments.of(HEAD + "tools: *\n" + BODY, 4, "not valid YAML"),
        Arguments.of(HEAD + "\tmode: all\n" + BODY, 4, "not valid YAML"),
        Arguments.of(HEAD + "name: other\n" + BODY, 4, "given twice, first as 'name' in line 2"),
        Arguments.of(
            HEAD + "maxTurns: 3\nmax_turns: 4\n" + BODY, 5, "first as 'maxTurns' in line 4"),
        Arguments.of(HEAD + "timeout: 3\ntimeoutMs: 4\n" + BODY, 5, "given twice"),
        Arguments.of("---\ndescription: Tests.\nname: two words\n" + BODY, 3, "'name' must have"),
        Arguments.of("---\nname: 7\ndescription: Tests.\n" + BODY, 2, "put quotes around 7"),
        Arguments.of("---\nname: tester\ndescription: [a]\n" + BODY, 3, "must be a text"),
        Arguments.of("---\nname: tester\ndescription: ''\n" + BODY, 3, "not empty"),
        Arguments.of(HEAD + "tools:\n" + BODY, 4, "has no value"),
        Arguments.of(HEAD + "mode: tool\n" + BODY, 4, "primary, subagent or all"),
        Arguments.of(HEAD + "maxTurns: many\n" + BODY, 4, "whole number from 1 to 1000"),
        Arguments.of(HEAD + "maxTurns: 0\n" + BODY, 4, "whole number"),
        Arguments.of(HEAD + "maxRetries: 1.5\n" + BODY, 4, "whole number from 0"),
        Arguments.of(HEAD + "timeoutMs: 5m\n" + BODY, 4, "whole number"),
        Arguments.of(HEAD + "tools:\n  - read\n  - 7\n" + BODY, 6, "put quotes around 7"),
        Arguments.of(HEAD + "tools: Read Grep\n" + BODY, 4, "'Read Grep' is no tool"),
        Arguments.of(HEAD + "disallowedTools: Bash(domain:x.org)\n" + BODY, 4, "no tool"),
        Arguments.of(HEAD + "tools: [Task(explore)]\n" + BODY, 4, "in 'subagents'"),
        Arguments.of(HEAD + "subagents: [explore, wizard]\n" + BODY, 4, "names 'wizard'"),
        Arguments.of(HEAD + "subagents:\n- explore\n- primary\n" + BODY, 6, "names 'primary'"),
        Arguments.of(HEAD + "permissions: read\n" + BODY, 4, "must be a list"),
        Arguments.of(HEAD + "permissions:\n- read\n" + BODY, 5, "must have permission"),
        Arguments.of(
            HEAD + "permissions:\n- permission: read\n" + BODY, 5, "needs permission and action"),
        Arguments.of(
            HEAD + "permissions:\n- permission: read\n  action: ask\n" + BODY, 6, "allow or deny"),
        Arguments.of(
            HEAD + "permissions:\n- permission: read\n  path: a\n" + BODY, 6, "'path' is unknown"),
        Arguments.of(
            "---\nname: primary\nmode: subagent\ndescription: No.\n" + BODY, 2, "root sessions"));
  }

  @ParameterizedTest(name = "{2}")
  @MethodSource("broken")
  void aBrokenFileIsToldOfWithItsLine(String text, int line, String problem) throws IOException {
    write("tester.md", text);

    assertThatThrownBy(() -> files().read())
        .isInstanceOfSatisfying(
            BrokenFile.class, broken -> assertThat(broken.place()).isEqualTo("tester.md:" + line))
        .hasMessageContaining(problem);
  }

  @Test
  void twoFilesMayNotHaveOneName() throws IOException {
    write("a.md", HEAD + BODY);
    write("b.md", "---\ndescription: Tests.\nname: TESTER\n" + BODY);

    assertThatThrownBy(() -> files().read())
        .hasMessage("b.md:3: 'tester' is the name of the agent in a.md already");
  }

  @Test
  void aFileHasABound() throws IOException {
    write("tester.md", HEAD + BODY + "x".repeat(256 * 1024));

    assertThatThrownBy(() -> files().read()).hasMessageStartingWith("tester.md:1: is too large");
  }

  @Test
  void aFileIsUtf8() throws IOException {
    Files.write(
        folder.resolve("tester.md"),
        (HEAD + "# Grüße\n" + BODY).getBytes(StandardCharsets.ISO_8859_1));

    assertThatThrownBy(() -> files().read()).hasMessageStartingWith("tester.md:4: is not UTF-8");
  }

  @Test
  void withoutAFolderThereAreTheBuiltInAgents() {
    folder = folder.resolve("none");

    assertThat(files().read().catalog().all()).isEqualTo(BuiltInAgents.ALL);
  }

  @Test
  void whatIsNoMarkdownIsLeftAlone() throws IOException {
    write("notes.txt", "no agent");
    write(".hidden.md", "no agent");
    Files.createDirectory(folder.resolve("folder.md"));

    assertThat(files().read().catalog().all()).isEqualTo(BuiltInAgents.ALL);
  }

  @Test
  void aFileMayReplaceABuiltInAgentWhereThatOneWasUsed() throws IOException {
    write("mine.md", "---\nname: primary\ndescription: Mine.\n" + BODY);

    var found = files().read();

    assertThat(found.catalog().all()).hasSameSizeAs(BuiltInAgents.ALL);
    assertThat(found.catalog().find("primary").orElseThrow().isPrimary()).isTrue();
    assertThat(found.infos()).containsExactly("mine.md:2: replaces the built-in agent primary");
  }

  @Test
  void anUnknownKeyIsAWarningThatNamesTheKnownOnes() throws IOException {
    write("tester.md", HEAD + "colour: red\ncolor: red\nhooks: none\n" + BODY);

    var found = files().read();

    assertThat(found.warnings())
        .singleElement()
        .asString()
        .startsWith("tester.md:4: unknown key 'colour'; known keys: name, description, ");
    assertThat(found.infos())
        .containsExactly(
            "tester.md:5: 'color' is not used here", "tester.md:6: 'hooks' is not used here");
  }

  @Test
  void skillsAreNamedAndAnUnknownOneIsAWarning() throws IOException {
    write("tester.md", HEAD + "skills: [pdf]\n" + BODY);

    var found = files().read();

    assertThat(found.warnings())
        .containsExactly("tester.md:4: there is no skill 'pdf', at least not now");
    assertThat(found.catalog().find("tester").orElseThrow().terms().skills())
        .containsExactly("pdf");
  }

  @Test
  void onlyTheNamedMcpServersAreLeft() throws IOException {
    var servers = new java.util.HashMap<String, McpConfig.Server>();
    servers.put("github", null);
    servers.put("jira", null);
    write(
        "tester.md",
        HEAD + "tools: ['*']\nmcpServers:\n- jira\n- wiki\n- own: {command: x}\n" + BODY);

    var found = PlainAgents.files(folder, servers).read();
    var child = found.catalog().find("tester").orElseThrow().asChildOf(Permissions.ALL);

    assertThat(child.mayEverAllow(List.of("jira_x", "mcp:changes", "mcp:server:jira"))).isTrue();
    assertThat(child.mayEverAllow(List.of("github_x", "mcp:changes", "mcp:server:github")))
        .isFalse();
    assertThat(found.warnings()).containsExactly("tester.md:7: there is no MCP server 'wiki' here");
    assertThat(found.servers())
        .extracting(AgentMcpServer::agent, own -> own.definition().name())
        .containsExactly(tuple("tester", "own"));
  }

  @Test
  void ownMcpServersAreReadAsTheConfigurationWouldBe() throws IOException {
    write(
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

    var found = files().read();

    assertThat(found.warnings()).isEmpty();
    assertThat(found.servers())
        .containsExactly(
            new AgentMcpServer(
                "tester",
                new ServerDefinition(
                    "own",
                    new ServerDefinition.Place.Command(
                        List.of("npx", "-y", "a server"), Map.of("NODE_ENV", "production")),
                    Duration.ofMillis(1500),
                    Duration.ofMillis(2500),
                    Optional.of(Set.of("echo")))),
            new AgentMcpServer(
                "tester",
                new ServerDefinition(
                    "web",
                    new ServerDefinition.Place.Url(
                        URI.create("https://example.com/mcp"), Map.of("X-Token", "secret")),
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(30),
                    Optional.empty())));
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
            "own: {command: 7}", "'mcpServers.own.command' must be a text; put quotes around 7"),
        Arguments.of(
            "own: {command: x, args: [1]}",
            "'mcpServers.own.args' must be a text; put quotes around 1"),
        Arguments.of(
            "own: {command: x, env: {PORT: 80}}",
            "'mcpServers.own.env.PORT' must be a text; put quotes around 80"),
        Arguments.of(
            "own: {command: x, env: [a]}",
            "'mcpServers.own.env' must be lines of the form 'key: value'"),
        Arguments.of(
            "own: {command: x, headers: {a: b}}",
            "'mcpServers.own.headers' is for servers with a url"),
        Arguments.of(
            "own: {command: x, type: sse}",
            "'mcpServers.own.type' must be stdio for a server with a command"),
        Arguments.of(
            "own: {command: x, colour: red}",
            "'mcpServers.own.colour' is unknown; known: type, command, args, env, url, headers, timeout, startTimeout, tools"),
        Arguments.of("own: {command: x, command: y}", "'mcpServers.own.command' is given twice"),
        Arguments.of(
            "own: {command: x, timeout: 5s}",
            "'mcpServers.own.timeout' must be a whole number of milliseconds from 1 to 86400000"),
        Arguments.of("own: {url: 'ftp://x'}", "'mcpServers.own.url' must be an http or https URL"),
        Arguments.of(
            "own: {url: 'http://x', args: [a]}",
            "'mcpServers.own.args' is for servers with a command"),
        Arguments.of(
            "own: {url: 'http://x', type: sse}",
            "'mcpServers.own.type' must be http for a server with a url; there are no others"),
        Arguments.of(
            "own: {url: 'http://x', headers: {'a b': c}}",
            "'mcpServers.own.headers' has 'a b', which is no header that can be sent"),
        Arguments.of(
            "My_Own: {command: x}",
            "'mcpServers.My_Own' must have a name of 1 to 32 of a-z, 0-9 and '-'"),
        Arguments.of(
            "jira: {command: x}",
            "'mcpServers.jira' is the name of a configured MCP server; give this one another, or name that one alone"));
  }

  @ParameterizedTest
  @MethodSource("brokenServers")
  void brokenServersAreNamedWithFileLineAndField(String definition, String problem)
      throws IOException {
    write("tester.md", HEAD + "mcpServers:\n  - " + definition + "\n" + BODY);
    var configured = new java.util.HashMap<String, McpConfig.Server>();
    configured.put("jira", null);

    assertThatThrownBy(() -> PlainAgents.files(folder, configured).read())
        .isInstanceOfSatisfying(
            BrokenFile.class,
            broken -> assertThat(broken.sentence()).isEqualTo("tester.md:5: " + problem));
  }

  @Test
  void twoAgentsCannotDefineServersOfOneName() throws IOException {
    var servers = "mcpServers:\n  - own: {command: x}\n";
    write("a.md", "---\nname: a\ndescription: Tests.\n" + servers + BODY);
    write("b.md", "---\nname: b\ndescription: Tests.\n" + servers + BODY);

    assertThatThrownBy(() -> files().read())
        .hasMessage(
            "b.md:5: 'mcpServers.own' is the name of a server of agent a;"
                + " give this one another, or configure one for both");
  }

  @Test
  void anUnknownToolIsAWarning() throws IOException {
    write("tester.md", HEAD + "tools:\n- Read\n- Teleport\n" + BODY);

    assertThat(files().read().warnings())
        .containsExactly("tester.md:6: there is no tool 'Teleport' here, at least not now");
  }

  @ParameterizedTest
  @ValueSource(strings = {"tools: Read, MultiEdit, LS", "tools: [read, 'Edit', list]"})
  void anAllowListDeniesEverythingElse(String line) throws IOException {
    var child = tester(line).asChildOf(Permissions.ALL);

    assertThat(Stream.of("read", "edit", "list")).allMatch(tool -> child.allow(tool, "a.txt"));
    assertThat(Stream.of("write", "task", "todoread", "a tool of tomorrow"))
        .noneMatch(child::mayEverAllow);
  }

  @Test
  void anAllowListMayBeEmpty() throws IOException {
    assertThat(tester("tools: []").asChildOf(Permissions.ALL).mayEverAllow("read")).isFalse();
  }

  @Test
  void aPatternBehindAToolIsARule() throws IOException {
    var child = tester("tools: Read(./src/**), Bash(git:*)").asChildOf(Permissions.ALL);

    assertThat(child.allow("read", "src/main/A.java")).isTrue();
    assertThat(child.allow("read", "pom.xml")).isFalse();
    assertThat(child.allow("bash", "git status")).isTrue();
    assertThat(child.allow("bash", "git")).isTrue();
    assertThat(child.allow("bash", "gitk")).isFalse();
  }

  @Test
  void aDomainIsAHost() throws IOException {
    var child =
        tester("tools: WebFetch(domain:Docs.example.org), webfetch(domain:*.good.org)")
            .asChildOf(Permissions.ALL);

    assertThat(child.allow("webfetch", "docs.example.org")).isTrue();
    assertThat(child.allow("webfetch", "example.org")).isFalse();
    assertThat(child.allow("webfetch", "www.good.org")).isTrue();
    assertThat(child.allow("webfetch", "good.org")).isFalse();
  }

  @Test
  void toolsOfMcpServersAreKnownByOurNames() throws IOException {
    var child = tester("tools: mcp__github__getIssue, mcp__jira").asChildOf(Permissions.ALL);

    assertThat(child.allow("github_getIssue", "*")).isTrue();
    assertThat(child.allow("github_close", "*")).isFalse();
    assertThat(child.allow("jira_search", "*")).isTrue();
  }

  @Test
  void whatIsDisallowedIsDeniedAlsoWhenItIsListed() throws IOException {
    var child = tester("tools: [read, write]\ndisallowed_tools: Write").asChildOf(Permissions.ALL);

    assertThat(child.mayEverAllow("read")).isTrue();
    assertThat(child.mayEverAllow("write")).isFalse();
  }

  @Test
  void rulesComeLast() throws IOException {
    var child =
        tester(
                "permissions:\n- {permission: Write, action: deny}\n- {permission: write, pattern: docs/*, action: allow}")
            .asChildOf(Permissions.ALL);

    assertThat(child.allow("write", "src/a")).isFalse();
    assertThat(child.allow("write", "docs/a")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"tools: [read, TodoWrite]", "tools: ['*', todowrite]"})
  void whatNoChildHasComesByItsName(String line) throws IOException {
    var child = tester(line).asChildOf(Permissions.ALL);

    assertThat(child.mayEverAllow("todowrite")).isTrue();
    assertThat(child.mayEverAllow("todoread")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tools: [Task, Agent]",
        "tools: '*'",
        "permissions: [{permission: task, action: allow}]",
        "permissions: [{permission: '*', action: allow}]"
      })
  void nothingButSubagentsLetsAChildDelegate(String line) throws IOException {
    var child = tester(line).asChildOf(Permissions.ALL);

    assertThat(AgentDefinition.DELEGATION).noneMatch(child::mayEverAllow);
  }

  @ParameterizedTest
  @ValueSource(strings = {"subagents: [Explore]", "tools: read\nsubagents: explore"})
  void aChildDelegatesToItsSubagentsOnly(String lines) throws IOException {
    var child = tester(lines).asChildOf(Permissions.ALL);

    assertThat(child.allow("task", "explore")).isTrue();
    assertThat(child.allow("task", "general")).isFalse();
    assertThat(Stream.of("task_output", "task_cancel", "task_list")).allMatch(child::mayEverAllow);
    assertThat(child.mayEverAllow("spawn")).isFalse();
  }

  @Test
  void subagentThatListsTaskAndNoSubagentsIsWarnedOf() throws IOException {
    assertThat(warning("tools: read, Task"))
        .isEqualTo("tester.md:4: a subagent delegates only to its 'subagents', and there are none");
  }

  @Test
  void agentsAreDeniedByAnyOfTheirNames() throws IOException {
    var root =
        tester("mode: primary\ndisallowedTools: Agent(Explore), Task(General-Purpose)")
            .asRoot(Permissions.ALL);

    assertThat(root.allow("task", "explore")).isFalse();
    assertThat(root.allow("task", "general")).isFalse();
    assertThat(root.allow("task", "plan")).isTrue();
  }

  @Test
  void spawnComesWithGeneral() throws IOException {
    assertThat(
            tester("subagents: general-purpose").asChildOf(Permissions.ALL).mayEverAllow("spawn"))
        .isTrue();
  }

  @Test
  void aStarMeansAllThatTakeTasks() throws IOException {
    assertThat(tester("subagents: '*'").terms().subagents())
        .containsExactlyInAnyOrder("general", "explore", "plan", "bash", "skill", "tester");
  }

  @Test
  void aRootDelegatesToItsSubagentsOnlyIfItNamesSome() throws IOException {
    var some = tester("mode: primary\nsubagents: explore").asRoot(Permissions.ALL);
    var everybody = tester("mode: primary").asRoot(Permissions.ALL);

    assertThat(some.allow("task", "general")).isFalse();
    assertThat(some.allow("task", "explore")).isTrue();
    assertThat(everybody.allow("task", "general")).isTrue();
    assertThat(everybody.mayEverAllow("todowrite")).isTrue();
  }

  @Test
  void modelsThatCannotBeUsedAreWarnedOf() throws IOException {
    assertThat(warning("model: Sonnet"))
        .contains("tester.md:4", "'Sonnet'", "parent's model is used");
    assertThat(warning("model: gpt")).contains("tester.md:4", "'gpt'", "known aliases: quick");
    assertThat(warning("model: nobody:knows")).contains("tester.md:4", "unknown provider");
    assertThat(tester("model: opus").terms().model()).isNull();
    assertThat(tester("model: inherit").terms().model()).isNull();
    assertThat(tester("model: nobody:knows").terms().model()).isEqualTo("nobody:knows");
  }

  private String warning(String line) throws IOException {
    tester(line);
    return files().read().warnings().getFirst();
  }

  private AgentDefinition tester(String lines) throws IOException {
    write("tester.md", HEAD + lines + (lines.isEmpty() ? "" : "\n") + BODY);
    return files().read().catalog().find("tester").orElseThrow();
  }

  private void write(String file, String text) throws IOException {
    Files.writeString(folder.resolve(file), text);
  }

  private AgentFiles files() {
    return PlainAgents.files(folder);
  }
}
