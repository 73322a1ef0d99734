package dev.errand.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.markdown.BrokenFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A folder of agents with everything that public collections contain. */
class AgentCollectionTest {

  @TempDir Path temporary;

  private AgentFileFolder folder;

  @BeforeEach
  void use() throws IOException {
    folder = new AgentFileFolder(temporary);
    folder.agent("reviewer.md", "reviewer", "");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      value = {
        "README.md ~ # My agents||text|",
        "CLAUDE.md ~ Always: be brief.",
        "AGENTS.md ~ * item",
        "LICENSE.md ~ MIT",
        "CONTRIBUTING.md ~ # How||---||## More|",
        "CHANGELOG.md ~ ",
        "empty.md ~ |||",
        "rule.md ~ ---||Text below a rule.||---||More.",
        "title.md ~ # Title||---||Name: a table|---|",
        "page.md ~ ---|title: A page|description: Of a site|---|Text",
        "index.md ~ ---|layout: default|---|Text",
        "commands/fix.md ~ ---|description: Fixes|argument-hint: \"[issue]\"|---|Fix it.",
        "commands/test.md ~ ---|description: Tests|allowed-tools: Bash|---|Test it.",
        "plugins/x/command/topic/run.md ~ ---|description: Runs|tool_access: [Bash]|---|Run it.",
        "skills/pdf/SKILL.md ~ ---|name: pdf|description: Reads PDF|---|Read.",
        "style.mdc ~ ---|description: Style|globs: \"*.ts\"|alwaysApply: true|---|Style.",
        "rules.md ~ ---|description: Style|globs: \"*.ts\"|alwaysApply: true|---|Style.",
        "notes.txt ~ ---|name: x|description: y|---|Text",
        "tags.md ~ ---|colour: red|sidebar: left|---|Text",
        "off.md ~ ---|description: Is off|disable: true|---|Text",
        ".git/agent.md ~ ---|name: git|description: Hidden|---|Text",
        ".github/agent.md ~ ---|name: github|description: Hidden|---|Text",
        "node_modules/x/agent.md ~ ---|name: module|description: Hidden|---|Text",
        "engineering/node_modules/agent.md ~ ---|name: module|description: Hidden|---|Text",
        ".hidden.md ~ ---|name: hidden|description: Hidden|---|Text",
        "toml.md ~ +++|name = \"x\"|+++|Text",
      })
  void whatIsNoAgentIsSkipped(String file, String text) throws IOException {
    folder.write(file, text == null ? "" : text.replace('|', '\n'));

    assertThat(folder.problems()).isEmpty();
    assertThat(folder.warnings()).isEmpty();
    assertThat(folder.read().catalog().all())
        .extracting(AgentDefinition::source)
        .containsOnly(AgentDefinition.BUILT_IN, "reviewer.md");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "engineering/backend.md",
        "categories/01-core/backend.md",
        "plugins/backend/agents/backend.md",
        "a/b/c/d/e/f/g/h/backend.md",
        "Über uns/backend.md",
        "commands/backend.md"
      })
  void agentInATopicFolderIsForAll(String file) throws IOException {
    folder.agent(file, "backend", "");

    assertThat(folder.problems()).isEmpty();
    assertThat(folder.read().catalog().find("backend"))
        .hasValueSatisfying(agent -> {
          assertThat(agent.source()).isEqualTo(file);
          assertThat(agent.parent()).isNull();
        });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "---|name: x|description: y ~ 1",
        "---|name: x|--- ~ 1",
        "---|name: x|description: y|---||  ~ 1",
        "---|name: x|description: y|maxTurns: many|---|Text ~ 4",
        "---|name: a/b|description: y|---|Text ~ 2",
        "---|name: C++|description: y|---|Text ~ 2",
        "---|name: Reviewer|description: y|---|Text ~ 2",
        "---|name: x|description: y|tools: Read Grep|---|Text ~ 4",
        "---|name: x|description: y|subagents: [wizard]|---|Text ~ 4",
        "||---|name: x|description: y|mode: chat|---|Text ~ 6",
      })
  void brokenFileIsReportedAndTheOthersLoad(String text, int line) throws IOException {
    folder.write("topic/broken.md", text.replace('|', '\n'));
    folder.agent("zebra.md", "zebra", "");

    var found = folder.read();

    assertThat(found.diagnostics().problems())
        .extracting(BrokenFile::place)
        .containsExactly("topic/broken.md:" + line);
    assertThat(found.catalog().all())
        .extracting(AgentDefinition::source)
        .contains("reviewer.md", "zebra.md")
        .doesNotContain("topic/broken.md");
  }

  @Test
  void linksAreFollowedButNotInACircle() throws IOException {
    var elsewhere = Files.createDirectories(temporary.resolve(".elsewhere"));
    folder.agent(".elsewhere/linked.md", "linked", "");
    Files.createSymbolicLink(temporary.resolve("topic"), elsewhere);
    Files.createSymbolicLink(elsewhere.resolve("self"), Path.of("."));
    Files.createSymbolicLink(elsewhere.resolve("up"), temporary);
    Files.createSymbolicLink(elsewhere.resolve("root"), Path.of("/"));
    Files.createSymbolicLink(temporary.resolve("gone.md"), Path.of("nowhere.md"));

    assertThat(folder.read().catalog().find("linked"))
        .map(AgentDefinition::source)
        .contains("topic/linked.md");
    assertThat(folder.problems()).containsExactly("gone.md:1: cannot be read");
  }

  @Test
  void placeThatIsNoDirectoryIsAProblem() throws IOException {
    var none = new AgentFileFolder(temporary.resolve("reviewer.md"));

    assertThat(none.problems()).containsExactly(".:1: is not a directory that can be read");
    assertThat(none.read().catalog().all()).isEqualTo(BuiltInAgents.ALL);
  }

  /** The built-in agent could have more rights than the file would give. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "---\nname: general\ndescription: y\ntools: Read Grep\n---\nText",
        "---\nname: General\ndescription: y\ntools: Read\n",
        "---\nname: 'general'\nmaxTurns: many\n---\nText"
      })
  void builtInAgentDoesNotTakeThePlaceOfABrokenFile(String text) throws IOException {
    folder.write("mine.md", text);

    assertThat(folder.problems()).hasSize(1);
    assertThat(folder.read().catalog().find("general")).isEmpty();
    assertThat(folder.read().catalog().find("explore")).isPresent();
  }

  @Test
  void agentThatNamesABrokenOneStillLoads() throws IOException {
    folder.agent("lead.md", "lead", "mode: primary\nsubagents: [explore, wizard]\n");
    folder.agent("wizard.md", "wizard", "maxTurns: many\n");

    var lead = folder.read().catalog().find("lead").orElseThrow();

    assertThat(folder.problems()).singleElement().asString().startsWith("wizard.md:4: ");
    assertThat(folder.warnings())
        .containsExactly("lead.md:5: the file of the agent 'wizard' is broken");
    assertThat(lead.terms().subagents()).isEqualTo(List.of("explore", "wizard"));
  }
}
