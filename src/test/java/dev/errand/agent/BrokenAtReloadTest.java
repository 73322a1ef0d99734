package dev.errand.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.markdown.BrokenFile;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that becomes broken while the service runs, or is broken at its start. */
class BrokenAtReloadTest {

  @TempDir Path temporary;

  private Path agentsFolder;
  private AgentFileFolder folder;
  private Agents agents;

  @BeforeEach
  void start() throws IOException {
    agentsFolder = temporary.resolve("agents");
    folder = new AgentFileFolder(agentsFolder);
    folder.agent("reviewer.md", "reviewer", "tools: Read\n");
    folder.agent("tester.md", "tester", "maxTurns: 3\n");
    agents = PlainAgents.in(agentsFolder);
    agents.load(new StartupEvent());
  }

  @Test
  void itsAgentStaysAndTheOthersChange() throws IOException {
    folder.agent("reviewer.md", "reviewer", "tools: Read Grep\n");
    folder.agent("tester.md", "tester", "maxTurns: 4\n");

    agents.reload("default");

    assertThat(turns("tester")).isEqualTo(4);
    assertThat(agents.of("default").find("reviewer")).isPresent();
    assertThat(problems())
        .containsExactly(
            "reviewer.md:4: 'Read Grep' is not a tool; write name or name(pattern), with commas"
                + " between several; its agent stays as it was before");

    folder.agent("reviewer.md", "reviewer", "tools: Read, Grep\n");
    agents.reload("default");
    assertThat(problems()).isEmpty();

    folder.agent("reviewer.md", "reviewer", "tools: Read Grep\n");
    agents.reload("default");
    Files.delete(agentsFolder.resolve("reviewer.md"));
    agents.reload("default");
    assertThat(agents.of("default").find("reviewer")).isEmpty();
    assertThat(problems()).isEmpty();
  }

  @Test
  void fileThatDoesNotFitToTheOthersKeepsItsAgentToo() throws IOException {
    folder.agent("tester.md", "reviewer", "");
    folder.agent("reviewer.md", "reviewer", "subagents: wizard\n");

    agents.reload("default");

    assertThat(turns("tester")).isEqualTo(3);
    assertThat(agents.of("default").find("reviewer")).isPresent();
    assertThat(problems()).hasSize(2).allMatch(text -> text.endsWith("stays as it was before"));
  }

  @Test
  void agentsOfADirectoryThatCannotBeReadStay() throws IOException {
    folder.agent("topic/scout.md", "scout", "");
    agents.reload("default");
    Files.move(agentsFolder, temporary.resolve("away"));
    Files.writeString(agentsFolder, "not a directory");

    agents.reload("default");

    assertThat(problems()).containsExactly(".:1: is not a directory that can be read");
    assertThat(agents.of("default").all())
        .extracting(AgentDefinition::name)
        .contains("reviewer", "tester", "scout");
  }

  @Test
  void problemIsLoggedOnceUntilItChanges() throws IOException {
    var log = new Lines();
    folder.write("tester.md", "---\nname: tester\n");

    agents.reload("default");
    agents.reload("default");
    assertThat(log.with("tester.md:1: the second line '---' is missing")).hasSize(1);

    folder.write("tester.md", "---\nname: tester\n---\nText");
    agents.reload("default");
    assertThat(log.with("tester.md:1: ")).hasSize(2);
    log.close();
  }

  @Test
  void brokenFileDoesNotStopAStartUnlessFilesAreStrict() throws IOException {
    folder.agent("reviewer.md", "reviewer", "maxTurns: many\n");

    var lenient = PlainAgents.in(agentsFolder);
    lenient.load(new StartupEvent());
    assertThat(lenient.of("default").find("reviewer")).isEmpty();
    assertThat(lenient.of("default").find("tester")).isPresent();
    assertThatThrownBy(() -> PlainAgents.strict(agentsFolder).load(new StartupEvent()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("reviewer.md:4: 'maxTurns' must be a whole number");
  }

  @Test
  void strictReloadChangesNothing() throws IOException {
    var strict = PlainAgents.strict(agentsFolder);
    strict.load(new StartupEvent());
    folder.agent("reviewer.md", "reviewer", "maxTurns: many\n");
    folder.agent("tester.md", "tester", "maxTurns: 4\n");

    assertThatThrownBy(() -> strict.reload("default"))
        .isInstanceOf(BrokenFile.class)
        .hasMessage("reviewer.md:4: 'maxTurns' must be a whole number from 1 to 1000");
    assertThat(strict.of("default").find("tester").orElseThrow().terms().maxTurns()).isEqualTo(3);
  }

  private int turns(String agent) {
    return agents.of("default").find(agent).orElseThrow().terms().maxTurns();
  }

  private List<String> problems() {
    return agents.problems("default").stream().map(BrokenFile::sentence).toList();
  }

  /** What the agents log. */
  private static final class Lines extends Handler {

    private final Logger logger = Logger.getLogger(Agents.class.getName());
    private final List<String> lines = new ArrayList<>();

    Lines() {
      logger.addHandler(this);
    }

    List<String> with(String part) {
      return lines.stream().filter(line -> line.contains(part)).toList();
    }

    @Override
    public void publish(LogRecord message) {
      lines.add(message.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      logger.removeHandler(this);
    }
  }
}
