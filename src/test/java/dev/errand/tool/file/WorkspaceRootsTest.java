package dev.errand.tool.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which directories can be workspaces of a service that was started in {@code app}. */
class WorkspaceRootsTest {

  @TempDir Path top;

  private ServiceFiles service;
  private WorkspaceRoots roots;

  @BeforeEach
  void startService() throws IOException {
    top = top.toRealPath();
    for (var directory :
        List.of(
            "app/config/below",
            "app/state/postgres/base",
            "app/state/worktrees/task/tree/src",
            "app/state/worktrees/task/git",
            "app/skills/fly",
            "app/src/config",
            "etc/agents/team",
            "more/project",
            "app-evil",
            "outside/below")) {
      Files.createDirectories(top.resolve(directory));
    }
    Files.createSymbolicLink(top.resolve("more/link"), top.resolve("outside"));
    Files.createSymbolicLink(top.resolve("more/state"), top.resolve("app/state"));
    Files.createSymbolicLink(top.resolve("more/up"), Path.of("../.."));
    Files.createSymbolicLink(top.resolve("more/in"), Path.of("project"));
    Files.createSymbolicLink(top.resolve("alias"), Path.of("more"));
    service =
        new ServiceFiles(
            top.resolve("app"),
            Map.of(
                "home", Path.of("state"),
                "agents", top.resolve("etc/agents"),
                "skills", Path.of("skills"),
                "templates", Path.of("templates")),
            List.of());
    roots =
        new WorkspaceRoots(
            service,
            List.of(top + "/app", top + "/alias", top + "/etc"),
            top.resolve("app/state/worktrees"));
  }

  @Test
  void secondTenantNeedsItsNameInEachRoot() {
    assertThat(roots("/srv/{tenant}").whyOneTenant()).isEmpty();
    assertThat(roots("/srv/{tenant}", "/shared").whyOneTenant())
        .hasValueSatisfying(why -> assertThat(why).contains("errand.workspaces.shared"));
  }

  @Test
  void anotherDirectoryCanBeUsedOnlyInTheRootsOfTheSameTenant() throws IOException {
    for (var folder : List.of("t/acme/a", "t/acme/b", "t/other/c", "t/shared/d")) {
      Files.createDirectories(top.resolve(folder));
    }
    Files.createDirectories(top.resolve("more/t"));
    Files.createSymbolicLink(top.resolve("more/t/acme"), top.resolve("t/acme"));
    var acme = top.resolve("t/acme/a");
    var shared = top.resolve("t/shared/d");
    var tenants = roots(top + "/t/shared", top + "/more/t/{tenant}", top + "/t/{tenant}");

    assertThat(tenants.rootOf(top.resolve("t/acme/b"), acme)).hasValue(top.resolve("t/acme"));
    assertThat(tenants.rootOf(top.resolve("t/other/c"), acme)).isEmpty();
    assertThat(tenants.rootOf(acme, top.resolve("outside"))).isEmpty();
    assertThat(tenants.rootOf(top.resolve("outside"), acme)).isEmpty();
    assertThat(roots(top + "/t").rootOf(shared, acme)).hasValue(top.resolve("t"));
    assertThat(roots(top + "/app").rootOf(top.resolve("app/state"), top.resolve("app"))).isEmpty();
  }

  @Test
  void anAgentInACopyCanUseNothingElse() {
    var tree = top.resolve("app/state/worktrees/task/tree");

    assertThat(roots.rootOf(tree.resolve("src"), tree)).hasValue(tree);
    assertThat(roots.rootOf(tree.resolveSibling("git"), tree)).isEmpty();
    assertThat(roots.rootOf(top.resolve("more/project"), tree)).isEmpty();
  }

  private WorkspaceRoots roots(String... directories) {
    return new WorkspaceRoots(service, List.of(directories), Path.of("/nowhere"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "app",
        "app/src",
        "app/src/config",
        "app/../app/./src",
        "more",
        "more/project",
        "more/in",
        "alias/project"
      })
  void directoriesInTheRootsAreAllowed(String folder) {
    assertThat(roots.problem(top.resolve(folder))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "outside, outside",
    "outside/below, outside",
    "., outside",
    "app-evil, outside",
    "app/.., outside",
    "more/link, outside",
    "more/link/below, outside",
    "more/up, outside",
    "more/up/etc/../outside, outside",
    "/, outside",
    "/etc, outside",
    "/proc/self/root, outside",
    "missing, outside",
    "app/state, home",
    "app/state/postgres, home",
    "app/state/postgres/base, home",
    "more/state/postgres, home",
    "app/config, configuration",
    "app/config/below, configuration",
    "app/src/../config, configuration",
    "app/skills/fly, skills",
    "app/templates, templates",
    "etc/agents, agents",
    "etc/agents/team, agents",
    "etc, contains"
  })
  void everythingElseIsRefused(String folder, String reason) {
    var problem = roots.problem(top.resolve(folder));

    assertThat(problem).get().asString().contains(reason).doesNotContain(top.toString());
  }

  @Test
  void onlyTheTreeOfAWorktreeIsAWorkspaceAndNotOneOfANewSession() throws IOException {
    var task = top.resolve("app/state/worktrees/task");

    assertThat(roots.problem(task.resolve("tree"))).isEmpty();
    assertThat(roots.problemOfNew(task.resolve("tree"), "default"))
        .get()
        .asString()
        .contains("worktrees");
    for (var beside : List.of("", "git", "tree/src", "tree/../git", "tree/../..")) {
      assertThat(roots.problem(task.resolve(beside))).isPresent();
    }
    Files.createSymbolicLink(top.resolve("more/worktree"), task);
    assertThat(roots.problem(top.resolve("more/worktree/git"))).isPresent();
    assertThat(roots.problemOfNew(top.resolve("more/worktree/tree"), "default")).isPresent();
  }

  @Test
  void tenantsHaveDirectoriesOfTheirOwn() throws IOException {
    for (var directory : List.of("work/a/project", "work/a-b", "work/b", "etc/a/agents")) {
      Files.createDirectories(top.resolve(directory));
    }
    Files.createSymbolicLink(top.resolve("work/a/way"), top.resolve("work/b"));
    var ofTenants =
        new WorkspaceRoots(
            new ServiceFiles(
                top.resolve("app"),
                Map.of(
                    "agents",
                    top.resolve("etc/{tenant}/agents"),
                    "skills",
                    top.resolve("etc/skills/{tenant}")),
                List.of()),
            List.of(
                top.resolve("work/{tenant}").toString(), top.resolve("etc/{tenant}").toString()),
            top.resolve("worktrees"));

    assertThat(ofTenants.whyOneTenant()).isEmpty();
    assertThat(roots.whyOneTenant()).get().asString().contains("{tenant}");
    for (var own : List.of("work/a", "work/a/project", "work/a/missing")) {
      assertThat(ofTenants.problemOfNew(top.resolve(own), "a")).isEmpty();
      assertThat(ofTenants.problem(top.resolve(own), "b")).get().asString().contains("outside");
    }
    for (var others :
        List.of(
            "work", "work/b", "work/a-b", "work/a/../b", "work/a/way", "work/a/way/x", "work/c")) {
      assertThat(ofTenants.problem(top.resolve(others), "a")).get().asString().contains("outside");
    }
    assertThat(ofTenants.problem(top.resolve("work/a/way"))).get().asString().contains("outside");
    assertThat(ofTenants.problem(top.resolve("etc/a/agents/x"), "a"))
        .get()
        .asString()
        .contains("agents");
    assertThat(ofTenants.problem(top.resolve("work/a"))).isEmpty();
  }

  @Test
  void workspaceThatBecomesALinkIsRefused() throws IOException {
    var folder = top.resolve("more/project");
    assertThat(roots.problem(folder)).isEmpty();

    Files.delete(folder);
    Files.createSymbolicLink(folder, top.resolve("outside"));

    assertThat(roots.problem(folder)).get().asString().contains("outside");
    var kit = new WorkspaceKit(folder, new FileRules(roots, service, false));
    assertThat(kit.call("list").text())
        .startsWith("The workspace of this session is outside the directories");
  }

  @Test
  void rootThatContainsTheServiceIsNoWorkspace() {
    var wide =
        new WorkspaceRoots(
            new ServiceFiles(top.resolve("app"), Map.of(), List.of()), List.of("/"), top);

    assertThat(wide.problem(top)).get().asString().contains("contains the configuration");
    assertThat(wide.problem(top.resolve("outside"))).isEmpty();
  }
}
