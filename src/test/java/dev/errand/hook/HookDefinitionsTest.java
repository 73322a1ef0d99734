package dev.errand.hook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.outbox.WebhookSecret;
import dev.errand.tool.file.ServiceFiles;
import dev.errand.tool.file.WorkspaceRoots;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HookDefinitionsTest {

  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

  @TempDir Path temporary;

  @Test
  void hooksAreReadInTheOrderOfTheirNames() {
    var hooks =
        read(
            Map.of(
                "from-agent-files", "true",
                "concurrency", "4",
                "b-post.url", "http://10.0.0.7:8080/hook",
                "b-post.secret", SECRET,
                "b-post.events", "task.created,task.started,task.ended,session.failed",
                "a-run.command", "/opt/check,--strict",
                "a-run.events", "tool.before,tool.after",
                "a-run.tools", "Bash,mcp__db__*",
                "a-run.timeout", "300ms",
                "a-run.on-error", "allow"));

    assertThat(hooks).extracting(Hook::name).containsExactly("a-run", "b-post");
    var program = hooks.getFirst();
    assertThat(program.target())
        .isEqualTo(new HookTarget.ProgramTarget(List.of("/opt/check", "--strict")));
    assertThat(program.timeout()).isEqualTo(Duration.ofMillis(300));
    assertThat(program.allowsOnError()).isTrue();
    assertThat(program.isAbout(List.of("bash"))).isTrue();
    assertThat(program.isAbout(List.of("db_query", "mcp__db__query"))).isTrue();
    assertThat(program.isAbout(List.of("write", "Write"))).isFalse();
    var endpoint = hooks.getLast();
    assertThat(endpoint.target())
        .isEqualTo(
            new HookTarget.UrlTarget(
                URI.create("http://10.0.0.7:8080/hook"), new WebhookSecret(SECRET)));
    assertThat(endpoint.timeout()).isEqualTo(Duration.ofSeconds(10));
    assertThat(endpoint.allowsOnError()).isFalse();
    assertThat(hooks.toString()).doesNotContain(SECRET);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "x.command=a x.url=http://h/ x.events=tool.before; errand.hooks.x.url or errand.hooks.x.command, and not both",
        "x.events=tool.before; errand.hooks.x.url or errand.hooks.x.command, and not both",
        "x.command=a; errand.hooks.x.events must name at least one of task.created",
        "x.command=a x.events=tool.befor; errand.hooks.x.events has no event 'tool.befor'; known are",
        "x.command=a x.events=tool.before x.event=tool.before; errand.hooks.x.event is no property of a hook",
        "x.command=a x.events=tool.before x.timeout=soon; errand.hooks.x.timeout",
        "x.command=a x.events=tool.before x.on-error=deni; errand.hooks.x.on-error",
        "x.command=a x.events=tool.before x.secret=whsec_x; errand.hooks.x.secret is only for hooks with a url",
        "x.url=ftp://h/ x.events=tool.before; errand.hooks.x.url must be http or https",
        "x.url=nowhere x.events=tool.before; errand.hooks.x.url must be an absolute URL",
        "x.url=http://h/ x.events=tool.before x.secret=s; errand.hooks.x.secret must be whsec_",
        "x.command=a x.events=task.ended x.tools=bash; errand.hooks.x.tools has no effect without tool.before",
        "X_y.command=a X_y.events=task.ended; errand.hooks.X_y must have 1 to 32"
      })
  void wrongDefinitionIsRefusedByItsKey(String properties, String problem) {
    var given = new HashMap<String, String>();
    for (var property : properties.split(" ")) {
      given.put(
          property.substring(0, property.indexOf('=')),
          property.substring(property.indexOf('=') + 1));
    }

    assertThatThrownBy(() -> read(given)).hasMessageContaining(problem);
  }

  @Test
  void environmentVariablesAreNoUnknownKeys() {
    var keys = List.of("errand.hooks.from.agent.files", "errand.hooks.x.on.error");
    var variables = Set.of("ERRAND_HOOKS_FROM_AGENT_FILES", "ERRAND_HOOKS_X_ON_ERROR");

    assertThatCode(() -> HookDefinitions.refuseUnknown(keys, variables)).doesNotThrowAnyException();
  }

  @Test
  void scriptThatAgentsCouldChangeIsRefused() throws IOException {
    var script =
        Files.writeString(Files.createDirectory(temporary.resolve("work")).resolve("x.sh"), "");
    var safe = Files.writeString(temporary.resolve("x.sh"), "");
    var link = Files.createSymbolicLink(temporary.resolve("link.sh"), script);

    assertThat(read(command("/bin/sh," + safe))).hasSize(1);
    for (var word : List.of(script, link)) {
      assertThatThrownBy(() -> read(command("/bin/sh," + word)))
          .hasMessageContaining("errand.hooks.x.command uses " + word)
          .hasMessageContaining("where agents may work");
    }
  }

  private static Map<String, String> command(String command) {
    return Map.of("x.command", command, "x.events", "tool.before");
  }

  private List<Hook> read(Map<String, String> properties) {
    return HookKit.read(
        properties,
        new WorkspaceRoots(
            new ServiceFiles(temporary, Map.of(), List.of()),
            List.of(temporary.resolve("work").toString()),
            temporary.resolve("worktrees")));
  }
}
