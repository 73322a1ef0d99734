package dev.errand.agent;

import static dev.errand.agent.AgentFileFolder.BODY;
import static dev.errand.agent.AgentFileFolder.HEAD;
import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.agent.AgentDefinition.AgentMode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AgentFilesTest {

  @TempDir Path temporary;

  private AgentFileFolder folder;

  @BeforeEach
  void use() {
    folder = new AgentFileFolder(temporary);
  }

  @Test
  void everyFieldIsRead() throws IOException {
    folder.write(
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

    var found = folder.read();
    var agent = found.catalog().find("reviewer").orElseThrow();

    assertThat(found.diagnostics().warnings()).isEmpty();
    assertThat(agent.name()).isEqualTo("reviewer");
    assertThat(agent.summary()).isEqualTo("Reads code, finds faults.");
    assertThat(agent.mode()).isEqualTo(AgentMode.ALL);
    assertThat(agent.source()).isEqualTo("reviewer.md");
    assertThat(agent.promptFor("$1 \\ x")).isEqualTo("You review.\n\nYour task: $1 \\ x");
    assertThat(agent.terms())
        .isEqualTo(
            new AgentDefinition.RunDefaults(
                "offline:small", List.of("explore"), 7, 0, Duration.ofSeconds(90)));
  }

  /** Kubernetes mounts links to files in a directory that is a link itself. */
  @Test
  void filesOfAMountedConfigMapAreRead() throws IOException {
    folder.write(
        "reviewer.md", "---\nname: reviewer\ndescription: Reads code.\n---\nYou review.\n");
    var version = Files.createDirectory(folder.path().resolve("..2026_11"));
    Files.move(folder.path().resolve("reviewer.md"), version.resolve("reviewer.md"));
    Files.createSymbolicLink(folder.path().resolve("..data"), Path.of("..2026_11"));
    Files.createSymbolicLink(folder.path().resolve("reviewer.md"), Path.of("..data/reviewer.md"));

    assertThat(folder.read().catalog().find("reviewer")).isPresent();
  }

  @Test
  void missingFieldsHaveTheDefaultsOfBuiltInAgents() throws IOException {
    var agent = folder.tester("");

    assertThat(agent.mode()).isEqualTo(AgentMode.SUBAGENT);
    assertThat(agent.terms())
        .isEqualTo(new AgentDefinition.RunDefaults(null, List.of(), 15, 2, Duration.ofMinutes(5)));
    assertThat(folder.tester("mode: primary").terms().maxTurns()).isEqualTo(40);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\r\n", "\r"})
  void otherLineEndsAndByteOrderMarksAreAccepted(String lineEnd) throws IOException {
    folder.write(
        "tester.md", "\uFEFF" + (HEAD + "max-turns: 3 # few\n" + BODY).replace("\n", lineEnd));

    assertThat(folder.read().catalog().find("tester").orElseThrow())
        .satisfies(
            agent -> assertThat(agent.prompt()).isEqualTo("You test."),
            agent -> assertThat(agent.terms().maxTurns()).isEqualTo(3));
  }

  @Test
  void namesOfAgentsAreUnique() throws IOException {
    folder.write("a.md", HEAD + BODY);
    folder.write("b.md", "---\ndescription: Tests.\nname: TESTER\n" + BODY);

    assertThat(folder.problems())
        .containsExactly("b.md:3: the agent in a.md has the name 'tester' already");
    assertThat(folder.read().catalog().find("tester").orElseThrow().source()).isEqualTo("a.md");
  }

  @Test
  void sizeOfAFileIsLimited() throws IOException {
    folder.write("tester.md", HEAD + BODY + "x".repeat(256 * 1024));

    assertThat(folder.problems())
        .singleElement()
        .asString()
        .startsWith("tester.md:1: is too large");
  }

  @Test
  void filesMustBeUtf8() throws IOException {
    Files.write(
        folder.path().resolve("tester.md"),
        (HEAD + "# Grüße\n" + BODY).getBytes(StandardCharsets.ISO_8859_1));

    assertThat(folder.problems())
        .singleElement()
        .asString()
        .startsWith("tester.md:4: is not UTF-8");
  }

  @Test
  void withoutADirectoryThereAreTheBuiltInAgents() {
    var none = new AgentFileFolder(temporary.resolve("none"));

    assertThat(none.read().catalog().all()).isEqualTo(BuiltInAgents.ALL);
  }

  @Test
  void otherFilesAreIgnored() throws IOException {
    folder.write("notes.txt", "no agent");
    folder.write(".hidden.md", "no agent");
    Files.createDirectory(folder.path().resolve("directory.md"));

    assertThat(folder.read().catalog().all()).isEqualTo(BuiltInAgents.ALL);
  }

  @Test
  void fileMayReplaceABuiltInAgentAndKeepsItsMode() throws IOException {
    folder.write("mine.md", "---\nname: primary\ndescription: Mine.\n" + BODY);

    var found = folder.read();

    assertThat(found.catalog().all()).hasSameSizeAs(BuiltInAgents.ALL);
    assertThat(found.catalog().find("primary").orElseThrow().isPrimary()).isTrue();
    assertThat(found.diagnostics().infos())
        .containsExactly("mine.md:2: replaces the built-in agent primary");
  }

  @Test
  void unknownKeyIsAWarningThatNamesTheKnownKeys() throws IOException {
    folder.write("tester.md", HEAD + "colour: red\ncolor: red\n" + BODY);

    var found = folder.read();

    assertThat(found.diagnostics().warnings())
        .singleElement()
        .asString()
        .startsWith("tester.md:4: unknown key 'colour'; known keys: name, description, ");
    assertThat(found.diagnostics().infos()).containsExactly("tester.md:5: 'color' has no effect");
  }

  @Test
  void unknownSkillIsAWarning() throws IOException {
    folder.write("tester.md", HEAD + "skills: [pdf]\n" + BODY);

    var found = folder.read();

    assertThat(found.diagnostics().warnings())
        .containsExactly("tester.md:4: there is no skill 'pdf' at the moment");
    assertThat(found.catalog().find("tester").orElseThrow().terms().skills())
        .containsExactly("pdf");
  }

  @Test
  void unusableModelIsAWarning() throws IOException {
    assertThat(folder.warning("model: Sonnet"))
        .contains("tester.md:4", "'Sonnet'", "parent's model is used");
    assertThat(folder.warning("model: gpt"))
        .contains("tester.md:4", "'gpt'", "known aliases: fable, haiku, opus, quick, sonnet");
    assertThat(folder.warning("model: claude-opus-4-8"))
        .contains("tester.md:4", "anthropic:claude-opus-4-8", "parent's model is used");
    assertThat(folder.tester("model: claude-opus-4-8").terms().model()).isNull();
    assertThat(folder.warning("model: unknown:model")).contains("tester.md:4", "unknown provider");
    assertThat(folder.tester("model: Opus").terms().model()).isEqualTo("opus");
    assertThat(folder.tester("model: inherit").terms().model()).isNull();
    assertThat(folder.tester("model: offline/small").terms().model()).isEqualTo("offline:small");
    assertThat(folder.tester("model: unknown:model").terms().model()).isEqualTo("unknown:model");
  }
}
