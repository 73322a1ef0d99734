package dev.errand.tool.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.tool.file.FileRules;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A workspace that is also the working directory of the service. */
class HiddenPathsTest {

  @TempDir Path workspace;

  @BeforeEach
  void createFilesOfTheService() throws IOException {
    for (var file : List.of("config/application.properties", ".env", "state/home/postgres/data")) {
      Files.createDirectories(workspace.resolve(file).getParent());
      Files.writeString(workspace.resolve(file), "secret");
    }
  }

  @Test
  void configurationAndDataCannotBeRead() throws Exception {
    var printed =
        sandboxed(
            "cat config/application.properties .env state/home/postgres/data; ls state/home;"
                + " mv .env x; echo x > .env; grep -rs secret . ; echo end");

    assertThat(printed).doesNotContain("secret").endsWith("end\n");
    assertThat(workspace.resolve(".env")).hasContent("secret");
  }

  @Test
  void nothingRunsAfterFilesOfTheServiceWereMoved() throws Exception {
    var hidden = hidden();
    Files.move(workspace.resolve("config"), workspace.resolve("other"));

    assertThatThrownBy(() -> hidden.below(workspace)).hasMessageContaining("moved");
  }

  @Test
  void workspaceInTheHomeOfTheServiceHidesOnlyTheDatabase() throws IOException {
    var home = workspace.resolve("state/home");
    var inside = Files.createDirectory(home.resolve("work"));

    assertThat(hidden().below(inside).directories()).isEmpty();
    assertThat(hidden().below(home).directories()).containsExactly(home.resolve("postgres"));
  }

  private HiddenPaths hidden() {
    return HiddenPaths.of(workspace.resolve("state/home"), workspace);
  }

  private String sandboxed(String command) throws Exception {
    var config = ShellKit.config(Map.of("errand.tools.bash", "enabled"));
    var line =
        new Bubblewrap(config, hidden(), new FileRules(List.of(), List.of(), false))
            .commandLine(workspace);
    line.addAll(List.of("/bin/sh", "-c", command));
    var process = new ProcessBuilder(line).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }
}
