package dev.errand.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code deploy/cache.sh} and {@code deploy/start.sh}, with programs in place of Java and curl. */
class CacheScriptsTest {

  @TempDir Path dir;
  private Path app;
  private Path cache;
  private Path calls;
  private final Map<String, String> settings = new HashMap<>();

  @BeforeEach
  void makeProgramsAndPackage() throws IOException {
    app = Files.createDirectory(dir.resolve("app"));
    cache = app.resolve("errand.aot");
    calls = Files.createFile(dir.resolve("calls"));
    Files.createFile(app.resolve("quarkus-run.jar"));
    program(
        "java",
        """
        echo "java $*" >>%1$s/calls
        env >>%1$s/environment
        case $* in
          *AOTMode=on*) exec test -e %1$s/fits ;;
          *-XX:AOTCache=* | *" dev.errand.demo.TrainCommand "*) exit ;;
        esac
        for word; do
          case $word in -XX:AOTCacheOutput=*) echo trained >"${word#*=}" ;; esac
        done
        trap 'rm %1$s/ready; kill $!; exit' TERM
        touch %1$s/ready
        sleep 60 &
        wait
        """);
    program(
        "curl",
        """
        echo "curl $*" >>%1$s/calls
        test -e %1$s/ready && echo '{"id":"ses_0"}'
        """);
  }

  private void program(String name, String script) throws IOException {
    var bin = Files.createDirectories(dir.resolve("bin"));
    Files.writeString(bin.resolve(name), "#!/bin/sh\n" + script.formatted(dir));
    Files.setPosixFilePermissions(bin.resolve(name), PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void absentCacheIsMadeInTheBackground() throws Exception {
    assertThat(run("cache.sh")).contains("Making the start-up cache");

    await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(cache));
    assertThat(cache).hasContent("trained");
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> Files.notExists(app.resolve("training.pid")));
  }

  @Test
  void cacheThatFitsStays() throws Exception {
    Files.writeString(cache, "old");
    Files.createFile(dir.resolve("fits"));

    assertThat(run("cache.sh")).isEmpty();
    assertThat(run("cache.sh", "now")).isEmpty();

    assertThat(cache).hasContent("old");
    assertThat(calls).content().doesNotContain("AOTCacheOutput");
  }

  @Test
  void cacheThatDoesNotFitIsReplaced() throws Exception {
    Files.writeString(cache, "old");

    run("cache.sh", "now");

    assertThat(cache).hasContent("trained");
  }

  @Test
  void onlyOneTrainingRunsAtATime() throws Exception {
    var lock = app.resolve("training.pid");
    Files.writeString(lock, Long.toString(ProcessHandle.current().pid()));
    run("cache.sh", "now");
    assertThat(cache).doesNotExist();

    Files.writeString(lock, "999999999"); // of a process that was killed
    run("cache.sh", "now");
    assertThat(cache).exists();
  }

  /** The training must not use the caller's database, keys or models. */
  @Test
  void settingsOfTheCallerDoNotReachTheTraining() throws Exception {
    run("cache.sh", "now");

    assertThat(dir.resolve("environment"))
        .content()
        .contains("ERRAND_MODEL=offline:planner")
        .doesNotContain("jdbc:postgresql", "secret", "-Derrand");
  }

  @Test
  void startUsesTheCacheIfThereIsOne() throws Exception {
    Files.createFile(dir.resolve("fits"));
    Files.createFile(cache);
    Files.createFile(dir.resolve("ready"));

    run("start.sh");

    assertThat(calls)
        .content()
        .contains("java.options -XX:AOTCache=%s -jar %s/quarkus-run.jar".formatted(cache, app));
  }

  @ParameterizedTest
  @CsvSource({
    "'', 127.0.0.1",
    "0.0.0.0, 127.0.0.1",
    "::, 127.0.0.1",
    "10.1.2.3, 10.1.2.3",
    "fd00::1, [fd00::1]",
  })
  void startAsksTheAddressAtWhichTheServiceListens(String host, String asked) throws Exception {
    Files.createFile(dir.resolve("fits"));
    Files.createFile(cache);
    Files.createFile(dir.resolve("ready"));
    settings.put("ERRAND_HOST", host);
    settings.put("ERRAND_PORT", "8081");

    run("start.sh");

    assertThat(calls).content().contains(" http://" + asked + ":8081/q/health/ready");
  }

  /** Others would not reach the console of another machine at 127.0.0.1. */
  @ParameterizedTest
  @CsvSource({
    "'', true",
    "127.0.0.1, true",
    "0.0.0.0, false",
    "10.1.2.3, false",
  })
  void startTellsAServiceOfThisMachineWhereItsConsoleIs(String host, boolean isLocal)
      throws Exception {
    Files.createFile(dir.resolve("fits"));
    Files.createFile(cache);
    Files.createFile(dir.resolve("ready"));
    settings.put("ERRAND_HOST", host);

    run("start.sh");

    var variable = "LOCAL_CONSOLE_URL=http://127.0.0.1:8080/console\n";
    var environment = Files.readString(dir.resolve("environment"));
    assertThat(environment.contains(variable)).isEqualTo(isLocal);
  }

  @Test
  void serviceThatDoesNotBecomeReadyIsReported() throws Exception {
    program("sleep", "true");

    assertThat(run("cache.sh", "http://127.0.0.1:8080/q/health/ready"))
        .contains("http://127.0.0.1:8080/q/health/ready has not answered");
    assertThat(cache).doesNotExist();
  }

  private String run(String script, String... arguments) throws Exception {
    // "cat" ends with the last process that has the output open, also one that the script started
    // in
    // the background.
    var command = new ArrayList<>(List.of("sh", "-c", "sh \"$@\" 2>&1 | cat", "sh"));
    command.addAll(List.of("deploy/" + script, app.toString()));
    command.addAll(List.of(arguments));
    var builder = new ProcessBuilder(command);
    builder
        .environment()
        .putAll(
            Map.of(
                "JAVA_HOME", dir.toString(),
                "PATH", dir.resolve("bin") + ":" + System.getenv("PATH"),
                "ERRAND_DB_URL", "jdbc:postgresql://production/errand",
                "OPENAI_API_KEY", "secret",
                "JAVA_TOOL_OPTIONS", "-Derrand.home=/data"));
    builder.environment().putAll(settings);
    try (var output = builder.start().getInputStream()) {
      return new String(output.readAllBytes());
    }
  }
}
