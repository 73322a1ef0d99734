package dev.errand.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentFilesWatchTest {

  @TempDir Path folder;

  @Test
  void newChangedAndDeletedFilesAreReloaded() throws IOException {
    var agents = PlainAgents.in(folder);
    var watch = new Agents.FilesWatch(agents, PlainAgents.files(folder));

    write("Be quick.", 1);
    watch.look();
    assertThat(agents.of("default").find("tester").orElseThrow().prompt()).isEqualTo("Be quick.");
    write("Be thorough.", 2);
    watch.look();
    assertThat(agents.of("default").find("tester").orElseThrow().prompt())
        .isEqualTo("Be thorough.");
    Files.delete(folder.resolve("tester.md"));
    watch.look();
    assertThat(agents.of("default").find("tester")).isEmpty();
  }

  @Test
  void brokenFileLeavesItsDefinitionUnchanged() throws IOException {
    var agents = PlainAgents.in(folder);
    var watch = new Agents.FilesWatch(agents, PlainAgents.files(folder));
    write("Be quick.", 1);
    watch.look();

    write("", 2);
    watch.look();

    assertThat(agents.of("default").find("tester").orElseThrow().prompt()).isEqualTo("Be quick.");
  }

  private void write(String prompt, long second) throws IOException {
    var file = folder.resolve("tester.md");
    Files.writeString(file, "---\nname: tester\ndescription: Tests.\n---\n" + prompt);
    Files.setLastModifiedTime(file, FileTime.fromMillis(second * 1000));
  }
}
