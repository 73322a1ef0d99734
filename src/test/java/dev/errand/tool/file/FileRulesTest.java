package dev.errand.tool.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.permission.Permissions;
import dev.errand.permission.Rule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What agents may not touch with file tools, in whatever way a path is written. */
class FileRulesTest {

  private static final String SECRET = "secret-7f3a";

  @TempDir Path folder;

  private WorkspaceKit kit;

  @BeforeEach
  void workspace() throws IOException {
    kit = new WorkspaceKit(folder.toRealPath());
  }

  @ParameterizedTest
  @ValueSource(strings = {".git", ".github/workflows", ".claude/skills/fly"})
  void listsCountFromTheRootOfTheWorkspace(String below) throws IOException {
    kit.file(below + "/config", "plain");
    var inside = new WorkspaceKit(folder.toRealPath().resolve(below));

    assertThat(inside.call("read", "file_path", "config").text()).contains("plain");
    assertThat(inside.call("write", "file_path", "new", "content", "x").text())
        .contains("errand.tools.deny-write");
    assertThat(folder.resolve(below + "/new")).doesNotExist();
  }

  /** The workspace is the directory where the service was started. */
  @Nested
  class FilesOfTheService {

    @BeforeEach
    void startTheServiceHere() throws IOException {
      var root = folder.toRealPath();
      for (var file :
          List.of(
              ".env",
              ".env-prod",
              "config/application.properties",
              "config/application-prod.properties",
              "state/postgres/data",
              "conf/agents/lead.md",
              "skills/fly/SKILL.md")) {
        kit.file(file, SECRET);
      }
      kit.file("src/config/application.yml", "plain");
      kit.file("conf/plain.txt", "plain");
      kit.link("link", ".env");
      kit.link("here", ".");
      kit.link("settings", root + "/config");
      kit = new WorkspaceKit(root, WorkspaceKit.rules(root, false));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          ".env",
          ".ENV",
          ".Env-Prod",
          ".env-dev",
          ".env.local",
          "./.env",
          "src/../.env",
          "link",
          "here/.env",
          "here/here/.eNv-prod",
          ".e\u200dnv",
          ".env.",
          ".env ",
          "config",
          "config/application.properties",
          "config/application-prod.properties",
          "config/application-other.yaml",
          "config/anything/below",
          "./config/../config/application.properties",
          "src/../config/application.properties",
          "Config/application.properties",
          "CONFIG/application-prod.properties",
          "con\ufb01g/application.properties",
          "config\u200b/application.properties",
          "config./application.properties",
          "settings/application.properties",
          "here/settings/application-prod.properties",
          "application.properties",
          "application-prod.yaml",
          "Application.YML",
          "state",
          "state/postgres/data",
          "State/postgres/data",
          "state/../state/postgres/data",
          "conf/agents",
          "conf/agents/lead.md",
          "conf/AGENTS/lead.md",
          "Conf/Agents/evil.md",
          "conf/../conf/agents/sub/new.md",
          "skills/fly/SKILL.md",
          "Skills/new/SKILL.md",
          "templates/new.txt",
          "tEMPLATES/new.txt",
          ".errand/postgres/pg_hba.conf",
          ".Errand/x",
          "src/.errand/x"
        })
    void areNeitherReadNorChanged(String path) {
      for (var done :
          List.of(
              kit.call("read", "file_path", path),
              kit.call("list", "path", path),
              kit.call("grep", "pattern", ".", "path", path, "output_mode", "content"),
              kit.call("glob", "pattern", "**", "path", path),
              kit.call("write", "file_path", path, "content", "mine"),
              kit.call("edit", "file_path", path, "old_string", "s", "new_string", "x"),
              kit.call("read", "file_path", kit.root() + "/" + path))) {
        assertThat(done.isError()).isTrue();
        assertThat(done.text()).contains("belongs to the service").doesNotContain(SECRET);
      }
      assertThat(kit.root().resolve("templates")).doesNotExist();
      assertThat(kit.content("config/application.properties")).isEqualTo(SECRET);
    }

    @Test
    void areNotFound() {
      assertThat(kit.call("grep", "pattern", SECRET).text()).isEqualTo("No matches.");
      assertThat(kit.call("glob", "pattern", "**").text())
          .isEqualTo("conf/plain.txt\nsrc/config/application.yml");
      assertThat(kit.call("list").text())
          .isEqualTo(
              "conf/\nhere (symbolic link)\nlink (symbolic link)\nsettings (symbolic link)\nsrc/");
      assertThat(kit.call("list", "path", "conf").text()).isEqualTo("plain.txt (5 bytes)");
      assertThat(kit.call("read", "file_path", "skill").text()).isEqualTo("skill does not exist");
    }

    @ParameterizedTest
    @ValueSource(strings = {"config", "state", "conf/agents"})
    void stayHiddenAfterTheirDirectoryWasRenamed(String directory) throws IOException {
      Files.move(kit.root().resolve(directory), kit.root().resolve("src/renamed"));

      assertThat(kit.call("list", "path", "src/renamed").text()).contains("belongs to the service");
      assertThat(kit.call("grep", "pattern", SECRET).text()).isEqualTo("No matches.");
      assertThat(kit.call("list", "path", "src").text()).isEqualTo("config/");
    }

    /** File systems give the identity of a deleted directory to the next file. */
    @Test
    void newFileIsNotTakenForADeletedDirectory() throws IOException {
      Files.delete(kit.root().resolve("conf/agents/lead.md"));
      Files.delete(kit.root().resolve("conf/agents"));
      for (int i = 0; i < 20; i++) {
        kit.file("src/new/" + i, "plain");
      }

      assertThat(kit.call("grep", "pattern", "plain", "path", "src/new").text().lines())
          .hasSize(20);
    }

    @Test
    void ownConfigurationOfAProjectInItIsVisible() {
      assertThat(kit.call("read", "file_path", "src/config/application.yml").text())
          .contains("plain");
    }
  }

  /** A directory that looks like the one of a service, in which none was started. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "config/application.rb",
        "config/database.yml",
        "config/application.properties",
        "application.yml",
        "agents/planner.rb",
        "skills/list.rb",
        "templates/mail.erb",
        "state/machine.rb",
        ".env.example",
        "app/models/id_generator.rb",
        "app/id_cards/show.erb",
        "lib/pem.rb",
        ".github/CODEOWNERS",
        ".vscode/settings.json",
        ".gitignore"
      })
  void projectWithDirectoriesOfTheSameNamesIsUsable(String path) {
    kit.file("top.rb", "");

    assertThat(kit.call("write", "file_path", path, "content", "find me").isError()).isFalse();

    assertThat(kit.call("read", "file_path", path).text()).contains("find me");
    assertThat(kit.call("grep", "pattern", "find me").text()).isEqualTo(path);
    assertThat(kit.call("glob", "pattern", "**").text()).contains(path);
    assertThat(
            kit.call("edit", "file_path", path, "old_string", "find", "new_string", "keep")
                .isError())
        .isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".env",
        ".ENV",
        "app/.env",
        "app/.env.production",
        "app/.Env.Local",
        "key.pem",
        "certs/SERVER.PEM",
        "id_rsa",
        ".ssh/id_ed25519",
        ".ssh/ID_ECDSA",
        ".ssh/id_rsa.pem"
      })
  void filesWithKeysAreNotRead(String path) {
    kit.file(path, SECRET);
    kit.link("innocent", path);

    for (var done :
        List.of(
            kit.call("read", "file_path", path),
            kit.call("read", "file_path", "./x/../" + path),
            kit.call("read", "file_path", "innocent"),
            kit.call("grep", "pattern", ".", "path", path, "output_mode", "content"),
            kit.call("edit", "file_path", path, "old_string", SECRET, "new_string", "x"))) {
      assertThat(done.isError()).isTrue();
      assertThat(done.text()).doesNotContain(SECRET);
    }
    assertThat(kit.call("grep", "pattern", SECRET).text()).isEqualTo("No matches.");
    assertThat(kit.call("glob", "pattern", "**").text()).isEqualTo("No file matches.");
    var parent = Path.of(path).getParent();
    assertThat(kit.call("list", "path", parent == null ? "." : parent.toString()).text())
        .contains("(cannot be read)");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".git",
        ".git/hooks/pre-commit",
        "module/.GIT/config",
        ".vscode/tasks.json",
        "app/.VSCode/Tasks.json",
        ".envrc",
        "app/.EnvRC",
        ".mcp.json",
        ".claude/settings.json",
        ".Claude/hooks/start.sh",
        ".github/workflows/ci.yml",
        ".GitHub/Workflows/new.yml"
      })
  void filesThatRunCodeLaterAreNotWritten(String path) {
    var written = kit.call("write", "file_path", path, "content", "evil");

    assertThat(written.isError()).isTrue();
    assertThat(written.text()).contains("errand.tools.deny-write");
    assertThat(kit.root().toFile().list()).isEmpty();
  }

  @Test
  void linkDoesNotLeadAroundTheListForWriting() throws IOException {
    kit.file("dotfiles/plain.txt", "");
    Files.createDirectories(kit.root().resolve(".github/workflows"));
    kit.link(".claude", "dotfiles");
    kit.link("ci", ".github/workflows");

    for (var path : List.of(".claude/settings.json", "./.CLAUDE/x", "ci/build.yml")) {
      assertThat(kit.call("write", "file_path", path, "content", "evil").isError()).isTrue();
    }
    assertThat(kit.root().resolve("dotfiles").toFile().list()).containsExactly("plain.txt");
    assertThat(kit.root().resolve(".github/workflows")).isEmptyDirectory();
  }

  /** The rules of a session, with a search that begins above the denied directory. */
  @ParameterizedTest
  @ValueSource(strings = {"secret/*", "secret", "Secret/*", "*.key", "*ret/a*"})
  void deniedPathsAreNotFoundFromAbove(String pattern) {
    kit.file("secret/a.key", SECRET);
    kit.file("open/b.txt", SECRET);
    for (var denied : List.of("read", "grep")) {
      var permissions =
          Permissions.ALL
              .narrowedBy(List.of(new Rule(denied, pattern, Rule.Action.DENY)))
              .narrowedBy(
                  List.of(
                      Rule.deny("*"), Rule.allow("grep"), Rule.allow("glob"), Rule.allow("list")));

      var found = kit.call(permissions, "grep", "pattern", SECRET, "output_mode", "content");

      assertThat(found.text()).isEqualTo("open/b.txt:1:" + SECRET);
    }
    var noRead = Permissions.ALL.narrowedBy(List.of(new Rule("read", pattern, Rule.Action.DENY)));
    assertThat(kit.call(noRead, "glob", "pattern", "**").text()).isEqualTo("open/b.txt");
    assertThat(kit.call(noRead, "read", "file_path", "secret/a.key").text())
        .startsWith("Permission denied");
    assertThat(kit.call(noRead, "read", "file_path", "secret/b").text())
        .doesNotContain("did you mean");
    assertThat(kit.call(noRead, "list", "path", "secret").text())
        .isEqualTo("(secret is an empty directory)");
  }

  @Test
  void searchesWithoutPermissionToReadStillSearch() {
    kit.file("src/a.txt", "find me");
    var permissions =
        Permissions.ALL.narrowedBy(
            List.of(
                Rule.deny("*"),
                Rule.allow("grep"),
                new Rule("list", ".", Rule.Action.ALLOW),
                new Rule("list", "src/*", Rule.Action.ALLOW)));

    assertThat(kit.call(permissions, "grep", "pattern", "find").text()).isEqualTo("src/a.txt");
    assertThat(kit.call(permissions, "list").text()).isEqualTo("src/");
  }

  @Test
  void fileWithTwoHardLinksIsReadOnlyIfAllowed() throws Exception {
    Files.writeString(folder.resolve("original"), "treasure");
    Files.createLink(folder.resolve("twin"), folder.resolve("original"));
    var open = new WorkspaceKit(folder, WorkspaceKit.rules(Path.of("/nowhere"), true));

    assertThat(kit.call("read", "file_path", "twin").text()).contains("more than one hard link");
    assertThat(kit.call("grep", "pattern", "treas.re").text())
        .isEqualTo("No matches.\n(Not searched, with more than one hard link: original, twin)");
    assertThat(open.call("read", "file_path", "twin").text()).contains("treasure");
    assertThat(open.call("grep", "pattern", "treas.re").text()).contains("original", "twin");
  }
}
