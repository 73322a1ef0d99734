package dev.errand.tool.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The workspace is also the working directory of the service. */
class FileRulesTest {

  @TempDir Path folder;

  private WorkspaceKit kit;

  @BeforeEach
  void serviceInTheWorkspace() throws Exception {
    var root = folder.toRealPath();
    var rules =
        new FileRules(
            List.of(root + "/.env", root + "/config/application.properties", root + "/state"),
            List.of(root + "/agents"),
            false);
    kit = new WorkspaceKit(root, rules);
    kit.file(".env", "OPENAI_API_KEY=secret");
    kit.file("config/application.properties", "secret");
    kit.file("config/other.properties", "plain");
    kit.file("state/postgres/data", "secret");
    kit.file("agents/lead.md", "You lead.");
    Files.createSymbolicLink(root.resolve("link"), root.resolve(".env"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".env",
        "./config/../.env",
        "link",
        "config/application.properties",
        "state/postgres/data"
      })
  void keysAndDataOfTheServiceCannotBeRead(String path) {
    var read = kit.call("read", "file_path", path);

    assertThat(read.isError()).isTrue();
    assertThat(read.text()).contains("belongs to the service").doesNotContain("secret");
  }

  @Test
  void keysAndDataOfTheServiceAreNotFound() {
    assertThat(kit.call("grep", "pattern", "secret").text()).isEqualTo("No matches.");
    assertThat(kit.call("glob", "pattern", "**/*").text())
        .contains("agents/lead.md", "config/other.properties")
        .doesNotContain(".env", "application.properties", "state");
  }

  @ParameterizedTest
  @ValueSource(strings = {".env", "state/new", "agents/new.md", "agents/lead.md"})
  void serviceFilesAndDefinitionsCannotBeWritten(String path) throws Exception {
    var written = kit.call("write", "file_path", path, "content", "mine");

    assertThat(written.isError()).isTrue();
    assertThat(kit.root().resolve("agents/new.md")).doesNotExist();
    assertThat(kit.root().resolve("agents/lead.md")).hasContent("You lead.");
  }

  @Test
  void databaseIsHiddenIfTheWorkspaceIsTheHomeOfTheService() throws Exception {
    var home = folder.resolve("state").toString();
    var none = folder.resolve("none").toString();
    var inHome = new WorkspaceKit(Path.of(home), new FileRules(home, none, none, none, false));

    assertThat(inHome.call("read", "file_path", "postgres/data").text())
        .contains("belongs to the service");
    assertThat(inHome.call("glob", "pattern", "**/*").text()).isEqualTo("No file matches.");
  }

  @Test
  void definitionsCanBeRead() {
    assertThat(kit.call("read", "file_path", "agents/lead.md").text()).contains("You lead.");
  }

  @Test
  void otherFilesInTheSameDirectoryCanBeRead() {
    assertThat(kit.call("read", "file_path", "config/other.properties").text()).contains("plain");
  }

  @Test
  void fileWithTwoHardLinksIsReadOnlyIfAllowed() throws Exception {
    Files.writeString(folder.resolve("original"), "treasure");
    Files.createLink(folder.resolve("twin"), folder.resolve("original"));
    var open = new WorkspaceKit(folder, new FileRules(List.of(), List.of(), true));

    assertThat(kit.call("read", "file_path", "twin").text()).contains("more than one hard link");
    assertThat(kit.call("grep", "pattern", "treas.re").text())
        .isEqualTo("No matches.\n(Not searched, with more than one hard link: original, twin)");
    assertThat(open.call("read", "file_path", "twin").text()).contains("treasure");
    assertThat(open.call("grep", "pattern", "treas.re").text()).contains("original", "twin");
  }
}
