package dev.errand.tool.shell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.permission.Permissions;
import dev.errand.permission.Rule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What commands in the sandbox can read, write and reach. */
class BashSandboxTest {

  @TempDir Path folder;

  @Test
  void keysOfTheServiceCannotBeFound() throws Exception {
    var command =
        """
        echo begin; env; cat /proc/*/environ /proc/1/environ /proc/$PPID/environ; cat /proc/*/cmdline
        ls -l /proc/*/fd; cat /proc/*/task/*/environ; ls /proc | grep -c '^[0-9]'; echo end
        """;

    var service = ServiceStandIn.start(workspace(), "enabled", List.of(command));
    var printed = new String(service.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(printed).contains("begin", "PATH=", "end").contains("(exit code 0)");
    assertThat(printed).doesNotContain(ServiceStandIn.CANARY, "OPENAI_API_KEY", "DB_PASSWORD");
  }

  @Test
  void commandWithoutASandboxHasNoKeysInItsEnvironment() throws Exception {
    var service = ServiceStandIn.start(workspace(), "unsandboxed", List.of("env"));
    var printed = new String(service.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(printed).contains("PATH=", "(exit code 0)").doesNotContain(ServiceStandIn.CANARY);
  }

  /** The service has a relative directory in its path, and the workspace programs to find there. */
  @ParameterizedTest
  @ValueSource(strings = {"enabled", "unsandboxed"})
  void programsOfTheWorkspaceDoNotRunOutsideOfTheSandbox(String mode) throws Exception {
    for (var name : List.of("setsid", "nice", "head", "timeout", "cat", "bwrap", "unshare")) {
      var program = workspace().resolve(name);
      Files.writeString(program, "#!/bin/sh\ntouch %s/%s-ran\n".formatted(folder, name));
      program.toFile().setExecutable(true);
    }
    var path = Map.of("PATH", ".:" + workspace() + ":/usr/bin:/bin");

    var service = ServiceStandIn.start(path, workspace(), mode, "echo alive; echo $PATH");
    var printed = new String(service.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(printed).startsWith("alive\n" + path.get("PATH"));
    assertThat(folder).isDirectoryNotContaining("glob:**-ran");
  }

  @Test
  void onlyConfiguredVariablesArePassed() {
    var name = System.getenv().keySet().stream().filter(this::isOrdinary).findAny().orElseThrow();
    var kit = new ShellKit(workspace(), "enabled");

    assertThat(kit.bash("printenv " + name).isError()).isTrue();
    assertThat(kit.with("bash-environment", "NOT_SET," + name).bash("printenv " + name).text())
        .startsWith(System.getenv(name));
  }

  private boolean isOrdinary(String name) {
    return !name.startsWith("LC_")
        && !System.getenv(name).isBlank()
        && Stream.of(
                "PATH", "LANG", "TZ", "JAVA_HOME", "HOME", "TERM", "PWD", "SHLVL", "_", "OLDPWD")
            .noneMatch(name::equals);
  }

  @Test
  void commandCanKillOnlyItsOwnProcesses() {
    var result = sandboxed("sleep 300 & kill -9 -1; wait; ls -d /proc/[0-9]*; echo alive");

    assertThat(result).contains("alive").endsWith("(exit code 0)");
    assertThat(result.lines().filter(line -> line.startsWith("/proc/"))).hasSizeLessThan(6);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/root",
        "/home",
        "/etc/shadow",
        "/etc/ssl/private",
        "/var/lib",
        "/var/run/secrets",
        "/sys",
        "/run",
        "/opt",
        "/proc/1/root/etc/shadow",
        "/proc/self/root/root",
        "/proc/1/cwd/../root"
      })
  void filesOfOthersCannotBeRead(String path) {
    assertThat(sandboxed("ls -la %1$s && cat %1$s".formatted(path)))
        .doesNotContain("(exit code 0)");
  }

  @Test
  void otherDirectoriesDoNotExist() throws IOException {
    Files.writeString(folder.resolve("beside"), "secret");

    assertThat(sandboxed("cat ../beside")).contains("No such file");
    assertThat(sandboxed("cat " + folder.resolve("beside"))).contains("No such file");
    assertThat(folder.resolve("beside")).hasContent("secret");
  }

  @Test
  void linkOutOfTheWorkspaceIsBroken() throws IOException {
    var secret = Files.writeString(folder.resolve("beside"), "secret");
    Files.createSymbolicLink(workspace().resolve("link"), secret);

    assertThat(sandboxed("cat link")).contains("No such file");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/usr/x", "/etc/x", "/bin/x", "/x", "/proc/sys/kernel/x", "../x"})
  void nothingOutsideOfTheWorkspaceCanBeWritten(String path) throws IOException {
    var result = sandboxed("echo x > " + path);

    if (!path.equals("../x")) { // in the sandbox's own /tmp
      assertThat(result).doesNotContain("(exit code 0)");
    }
    assertThat(Path.of(path.replace("../", folder + "/"))).doesNotExist();
  }

  /** A file that is hidden has directories above it, which are mounted on their own. */
  @Test
  void sessionThatMayNotChangeFilesReadsItsWorkspace() throws IOException {
    Files.createDirectory(workspace().resolve("app"));
    Files.writeString(workspace().resolve("app/.env"), "secret");
    Files.writeString(workspace().resolve("app/code"), "before");
    var kit = new ShellKit(workspace(), "enabled");

    var result =
        kit.bash(
            Permissions.ALL.narrowedBy(List.of(Rule.deny("write"), Rule.deny("edit"))),
            "cat app/code; echo x > app/code; echo x > app/new; echo x > new; rm -rf app; mount -o"
                + " remount,rw .; echo y > new; touch /tmp/mine && echo done");

    assertThat(result.text()).startsWith("before").contains("Read-only file system", "done");
    assertThat(workspace().resolve("app/code")).hasContent("before");
    assertThat(workspace().resolve("app/new")).doesNotExist();
    assertThat(workspace().resolve("new")).doesNotExist();
    assertThat(kit.bash("echo x > new").isError()).isFalse();
  }

  @Test
  void filesOutsideOfTheWorkspaceAreNotKept() {
    assertThat(sandboxed("cd; pwd; echo x > $HOME/x; echo x > /tmp/errand-x; cat ~/x"))
        .isEqualTo("/tmp/home\nx\n(exit code 0)");
    assertThat(Path.of("/tmp/errand-x")).doesNotExist();
    assertThat(sandboxed("ls -A ~ /tmp/errand-x")).contains("No such file");
  }

  @Test
  void homeOfTheServiceCannotBeReadOrChanged() throws IOException {
    var home = Files.createDirectories(workspace().resolve(".errand/postgres"));
    Files.writeString(home.resolve("data"), "secret");

    for (var command :
        new String[] {
          "ls .errand", "cat .errand/postgres/data", "echo x > .errand/x", "rm -rf .errand",
          "mv .errand away", "chmod 777 .errand", "ln .errand/postgres/data got", "umount .errand"
        }) {
      assertThat(sandboxed(command)).as(command).doesNotContain("secret", "(exit code 0)");
    }
    assertThat(home.resolve("data")).hasContent("secret");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "unshare -Ur true",
        "unshare -r mount -t tmpfs none /mnt",
        "mount -t tmpfs none /tmp",
        "chroot . true",
        "su -c true",
        "mknod x c 1 3",
        "hostname other",
        "mount -o remount,rw /usr",
        "nsenter -t 1 -m true",
        "dmesg",
        "chmod 666 /dev/null",
        "touch /dev/null",
        "echo x > /dev/x",
        "now=$(cat /proc/sys/vm/swappiness); echo $now > /proc/sys/vm/swappiness"
      })
  void rightsCannotBeRaised(String command) {
    assertThat(sandboxed(command)).doesNotContain("(exit code 0)");
  }

  @Test
  void commandHasNoCapabilitiesAndIsNotRoot() {
    assertThat(sandboxed("id -u; grep -h -E '^(Cap|NoNew)' /proc/self/status"))
        .doesNotStartWith("0\n")
        .doesNotContainPattern("Cap\\w+:\\s*0*[1-9a-f]")
        .containsPattern("NoNewPrivs:\\s+1");
  }

  @Test
  void networkIsAvailableOnlyIfConfigured() throws IOException {
    try (var server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      var connect =
          "exec 3<>/dev/tcp/127.0.0.1/%d && echo connected".formatted(server.getLocalPort());
      var kit = new ShellKit(workspace(), "enabled");

      assertThat(kit.bash(connect).text()).contains("refused").doesNotContain("connected");
      assertThat(kit.with("bash-network", "true").bash(connect).text()).startsWith("connected");
    }
  }

  @Test
  void configuredPathsCanBeRead() throws IOException {
    var more = Files.createDirectory(folder.resolve("more"));
    Files.writeString(more.resolve("file"), "shared");
    var kit = new ShellKit(workspace(), "enabled").with("bash-read-only-paths", more.toString());

    assertThat(kit.bash("cat %1$s/file; echo x > %1$s/file".formatted(more)).text())
        .startsWith("shared")
        .contains("Read-only");
  }

  @Test
  void commonToolsAreAvailable() {
    assertThat(
            sandboxed("git init -q . && git status -sb && echo ok | grep ok && date > /dev/null"))
        .contains("ok\n(exit code 0)");
    assertThat(sandboxed("'%s/bin/java' -version".formatted(System.getProperty("java.home"))))
        .contains("(exit code 0)");
  }

  private String sandboxed(String command) {
    return new ShellKit(workspace(), "enabled").bash(command).text();
  }

  private Path workspace() {
    try {
      return Files.createDirectories(folder.resolve("workspace"));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
