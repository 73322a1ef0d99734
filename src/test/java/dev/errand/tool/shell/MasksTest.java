package dev.errand.tool.shell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.tool.ToolOutcome;
import dev.errand.tool.file.WorkspaceKit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Commands in the directory where the service was started reach none of its files, nor keys of the
 * project.
 */
class MasksTest {

  private static final String SECRET = "secret-7f3a";

  /** Files that exist. The directory {@code templates} and the file {@code .env-prod} do not. */
  private static final List<String> FILES =
      List.of(
          ".env",
          "application-prod.yml",
          "config/application.properties",
          "state/postgres/data",
          "conf/agents/lead.md",
          "skills/fly/SKILL.md",
          "app/.env",
          "app/certs/key.pem",
          "app/id_rsa",
          "app/.errand/postgres/data");

  private static final List<String> TRIES =
      List.of(
          "cat config/application.properties",
          "ls -la config",
          "cp -r config copy; cat copy/*",
          "mv config renamed; cat renamed/*",
          "rm -rf config; mkdir config; echo evil > config/application.properties",
          "echo evil > config/application-prod.properties",
          "mkdir config/sub && echo evil > config/sub/x",
          "chmod -R 777 config state .env; cat config/* .env",
          "ln -s config/application.properties link; cat link",
          "ln config/application.properties hard; cat hard",
          "umount config; umount -l .env; cat config/* .env",
          "unshare -rm sh -c 'umount config; cat config/*'",
          "mkdir over; mount --bind config over; mount -t tmpfs none config",
          "cat .env",
          "cp .env copied; cat copied",
          "mv .env moved; cat moved",
          "ln .env twin; cat twin",
          "dd if=.env",
          "exec 3<.env; cat <&3",
          "rm -f .env; echo evil > .env",
          "echo evil >> .env",
          "echo evil > .env-prod",
          "rm -f .env-prod; echo evil > .env-prod",
          "mv .env-prod other; echo evil > .env-prod",
          "cat application-prod.yml; echo evil > application-prod.yml",
          "cat state/postgres/data; echo evil > state/postgres/pg_hba.conf",
          "mv state elsewhere; cat elsewhere/postgres/data; mkdir state",
          "echo evil > templates/notice.txt",
          "mkdir -p templates && echo evil > templates/notice.txt",
          "rmdir templates; mkdir templates; echo evil > templates/notice.txt",
          "mv templates old; mkdir templates; echo evil > templates/notice.txt",
          "echo evil > conf/agents/evil.md",
          "mv conf conf2; cat conf2/agents/lead.md",
          "mv conf conf3; mkdir -p conf/agents; echo evil > conf/agents/evil.md",
          "rm -rf conf; mkdir -p conf/agents; echo evil > conf/agents/evil.md",
          "cat skills/fly/SKILL.md; echo evil > skills/fly/SKILL.md",
          "mv skills old-skills; mkdir -p skills/evil; echo evil > skills/evil/SKILL.md",
          "cat /proc/self/root/$PWD/.env /proc/self/cwd/config/* $PWD/../*/.env",
          "cat app/.env app/certs/key.pem app/id_rsa",
          "mv app app2; cat app2/.env app2/certs/key.pem",
          "mv app/certs open; cat open/key.pem",
          "cp -r app copied-app; cat copied-app/.env copied-app/certs/*",
          "ln app/.env app/plain; cat app/plain; mv app/id_rsa app/rsa; cat app/rsa",
          "cat app/.errand/postgres/data; mv app/.errand app/data; cat app/data/postgres/data",
          "find . -type f -exec cat {} +",
          "grep -rsa secret .",
          "tar cf - . | cat");

  @TempDir Path folder;

  private Path workspace;
  private ShellKit kit;

  @BeforeEach
  void startTheServiceInTheWorkspace() throws IOException {
    workspace = folder.toRealPath();
    for (var file : FILES) {
      Files.createDirectories(workspace.resolve(file).getParent());
      Files.writeString(workspace.resolve(file), SECRET);
    }
    kit = new ShellKit(workspace, "enabled").with(WorkspaceKit.rules(workspace, false));
  }

  @Test
  void noneOfManyTriesReadsOrChangesAnything() throws IOException {
    var begun = "( %s ) </dev/null 2>/dev/null | head -c 5000; echo; echo '== above: %s'\n";
    var script =
        TRIES.stream()
            .map(command -> begun.formatted(command, command.replace("'", "")))
            .collect(Collectors.joining());

    var printed = kit.bash(script + "echo end; rm -rf conf app").text();

    assertThat(printed).contains("end\n").doesNotContain(SECRET);
    for (var file : FILES) {
      assertThat(workspace.resolve(file)).hasContent(SECRET);
    }
    assertThat(workspace.resolve(".env-prod")).isEmptyFile();
    assertThat(workspace.resolve("templates")).isEmptyDirectory();
    for (var directory : List.of("config", "conf/agents", "skills", "state", "app/certs")) {
      assertThat(workspace.resolve(directory).toFile().list()).hasSize(1);
    }
    var files = new WorkspaceKit(workspace, WorkspaceKit.rules(workspace, false));
    assertThat(files.call("grep", "pattern", "secret|evil").text()).isEqualTo("No matches.");
    assertThat(files.call("glob", "pattern", "**").text()).doesNotContain("hard", "twin", "plain");
  }

  @ParameterizedTest
  @ValueSource(strings = {"config", "conf", "templates"})
  void nothingRunsWhenALinkIsWhereFilesOfTheServiceBelong(String name) throws IOException {
    var path = workspace.resolve(name);
    if (Files.exists(path)) {
      Files.move(path, workspace.resolve("app/away"));
    }
    Files.createSymbolicLink(path, Path.of("app"));
    var restarted = new ShellKit(workspace, "enabled").with(WorkspaceKit.rules(workspace, false));

    var result = restarted.bash("cat app/away/*");

    assertThat(result.isError()).isTrue();
    assertThat(result.text()).contains("belongs to the service and is a link");
  }

  /** What a concurrent command achieves when it exchanges a directory and a link at the moment. */
  @ParameterizedTest
  @ValueSource(strings = {".", "app", "app/certs"})
  void nothingRunsWhenTheSandboxMountedAnotherDirectory(String replaced, @TempDir Path outside)
      throws IOException {
    Files.writeString(outside.resolve("found"), SECRET);
    var program = outside.resolve("bwrap");
    Files.writeString(
        program,
        """
        #!/bin/bash
        arguments=("$@")
        for i in "${!arguments[@]}"; do
          case ${arguments[i]} in
            --bind|--ro-bind) [ "${arguments[i+1]}" != '%s' ] || arguments[i+1]='%s' ;;
          esac
        done
        exec bwrap "${arguments[@]}"
        """
            .formatted(workspace.resolve(replaced).normalize(), outside));
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    kit.with("bash-bubblewrap", program.toString());

    var result = kit.bash("cat found */found */*/found; touch made */made");

    assertThat(result.text())
        .startsWith("Not run: another command replaced directories")
        .endsWith("(exit code 126)")
        .doesNotContain(SECRET);
    assertThat(outside.resolve("made")).doesNotExist();
  }

  @Test
  void directoryOfTheServiceStaysHiddenAfterAPersonRenamedIt() throws IOException {
    Files.move(workspace.resolve("config"), workspace.resolve("app/away"));

    var result = kit.bash("cat app/away/*; mv app/away app/moved; cat app/moved/*; ls config");

    assertThat(result.text()).contains("Permission denied", "busy").doesNotContain(SECRET);
  }

  @Test
  void nothingRunsInAWorkspaceThatIsNotAllowed() {
    var elsewhere =
        new ShellKit(workspace, "enabled").with(WorkspaceKit.rules(folder.resolve("app"), false));

    assertThat(elsewhere.bash("cat .env").text())
        .startsWith("The workspace of this session contains the");
  }

  @Test
  void projectElsewhereKeepsItsDirectories() throws IOException {
    var project = Files.createDirectories(folder.resolve("outside/rails"));
    Files.createDirectories(project.resolve("config"));
    Files.writeString(project.resolve("config/routes.rb"), "plain");

    var result =
        new ShellKit(project, "enabled")
            .bash("cat config/routes.rb; mv config conf; mkdir agents; touch application.yml; ls");

    assertThat(result)
        .isEqualTo(ToolOutcome.ok("plainagents\napplication.yml\nconf\n(exit code 0)"));
    assertThat(project.toFile().list()).hasSize(3);
  }
}
