package dev.errand.tool.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.ToolDefinition;
import dev.errand.permission.Permissions;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.mcp.McpServers.ServerStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that exit, hang or cannot start, and calls that end without a result. */
class StdioServerFailureTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final ToolOutcome.Done HELLO = ToolOutcome.ok("hello");

  private final McpKit kit = new McpKit();

  @AfterEach
  void stop() {
    kit.close();
  }

  @Test
  void timedOutCallIsAnErrorAndTheServerIsNotified() {
    kit.running(McpKit.hasty(odd("files", "good")));

    assertThat(kit.call("files_never", Map.of()))
        .isEqualTo(
            ToolOutcome.error(
                "The MCP server 'files' did not answer within 2 s. The call may be repeated."));
    // On a busy machine this call may time out, too.
    await()
        .atMost(PATIENCE)
        .until(() -> kit.call("files_cancelled", Map.of()).text().matches("[1-9]\\d*"));
  }

  @Test
  void interruptedCallEndsAndTheServerIsNotified(@TempDir Path folder) {
    kit.running(odd("files", "good"));
    var received = folder.resolve("received");

    var caller =
        Thread.ofVirtual()
            .start(() -> kit.call("files_never", Map.of("touch", received.toString())));
    await().atMost(PATIENCE).until(() -> Files.exists(received));
    caller.interrupt();

    await().atMost(PATIENCE).until(() -> !caller.isAlive());
    await().atMost(PATIENCE).until(() -> kit.call("files_cancelled", Map.of()).text().equals("1"));
  }

  @Test
  void serverThatExitsDuringACallIsAnErrorAndIsStartedAgain() {
    kit.running(odd("files", "good"));

    ServerStatus status;
    ToolOutcome.Done call;
    // It is down for 1 s, after the next exit for 2 s, and so on; on a busy machine that is short.
    do {
      assertThat(kit.call("files_die", Map.of()))
          .isEqualTo(
              ToolOutcome.error(
                  "The call to the MCP server 'files' failed: it exited with 7."
                      + " Whether it took effect is unknown: verify before repeating it."));
      status =
          await()
              .atMost(PATIENCE)
              .pollInterval(Duration.ofMillis(20))
              .until(
                  () -> kit.status("files"),
                  seen -> seen.state() == ServerStatus.ServerState.DOWN || echo().equals(HELLO));
      assertThat(names(Permissions.ALL)).contains("files_echo");
      call = echo();
    } while (call.equals(HELLO));

    assertThat(status.problem()).isEqualTo("it exited with 7");
    assertThat(call)
        .isEqualTo(
            ToolOutcome.error(
                "The MCP server 'files' is not running: it exited with 7."
                    + " It is being started again; the call was not made."));
    kit.await("files", ServerStatus.ServerState.RUNNING);
    assertThat(echo()).isEqualTo(HELLO);
  }

  private ToolOutcome.Done echo() {
    return kit.call("files_echo", Map.of("text", "hello"));
  }

  /** The exit, the end of the output and the closed input may be seen in any order. */
  @Test
  void allCallsOfAServerThatIsKilledReportItsExit(@TempDir Path folder) throws Exception {
    kit.running(odd("files", "good"));
    var received = IntStream.range(0, 8).mapToObj(call -> folder.resolve("call" + call)).toList();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var calls =
          received.stream()
              .map(file ->
                  threads.submit(() -> kit.call("files_never", Map.of("touch", file.toString()))))
              .toList();
      await().atMost(PATIENCE).until(() -> received.stream().allMatch(Files::exists));

      McpKit.oddServers().forEach(ProcessHandle::destroyForcibly);

      for (var call : calls) {
        assertThat(call.get())
            .isEqualTo(
                ToolOutcome.error(
                    "The call to the MCP server 'files' failed: it exited with 137."
                        + " The call may be repeated."));
      }
    }
  }

  @Test
  void serverThatCannotStartIsDownAndReportsWhy() {
    kit.servers().add(McpKit.process("nothing", List.of("/no/such/program")));
    kit.servers().add(odd("quitter", "exits"));

    assertThat(kit.awaitDown("nothing").problem()).isEqualTo("its program cannot be started");
    assertThat(kit.awaitDown("quitter").problem()).isEqualTo("it exited with 3");
    // Not while it is started again.
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(kit.call("quitter_read", Map.of()).text())
                .startsWith("The MCP server 'quitter' is not running: it exited with 3."));
  }

  @Test
  void serverThatNeverAnswersIsDownAfterItsStartTimeout() {
    var mute = odd("mute", "mute");
    kit.servers()
        .add(
            new ServerDefinition(
                "mute", mute.place(), mute.timeout(), Duration.ofMillis(1500), null));

    assertThat(kit.awaitDown("mute").problem()).isEqualTo("it did not answer within 1500 ms");
  }

  @Test
  void hugeResultsAreCutAndEndlessOnesEndTheConnection() {
    kit.running(odd("files", "good"));

    assertThat(kit.call("files_huge", Map.of()).text())
        .hasSizeLessThan(101_000)
        .contains("The result was cut: it has 300000 characters");
    assertThat(kit.call("files_flood", Map.of()).text())
        .contains("it sent a message of more than 16777216 characters");
    kit.await("files", ServerStatus.ServerState.RUNNING);
  }

  @Test
  void serverThatDoesNotReadIsStopped() {
    kit.running(odd("deaf", "deaf"));
    var process = McpKit.oddServers().findFirst().orElseThrow();
    var moreThanAPipeBuffers = Map.of("text", "x".repeat(200_000));
    var caller = Thread.ofVirtual().start(() -> kit.call("deaf_echo", moreThanAPipeBuffers));
    await().atMost(PATIENCE).until(() -> isWriting("mcp-deaf-in"));

    kit.servers().remove("deaf");

    await().atMost(Duration.ofSeconds(20)).until(() -> !process.isAlive());
    await().atMost(PATIENCE).until(() -> !caller.isAlive());
  }

  private static boolean isWriting(String thread) {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(entry -> entry.getKey().getName().equals(thread))
        .flatMap(entry -> Stream.of(entry.getValue()))
        .anyMatch(frame -> frame.getMethodName().equals("writeBytes"));
  }

  @Test
  void serversStopWithTheService() {
    kit.running(odd("files", "good"));
    var process = McpKit.oddServers().findFirst().orElseThrow();

    kit.close();

    await().atMost(PATIENCE).until(() -> !process.isAlive());
  }

  private static ServerDefinition odd(String name, String mode) {
    return McpKit.process(name, OddServer.command(mode));
  }

  private List<String> names(Permissions permissions) {
    return kit.toolBox().offered(permissions).stream().map(ToolDefinition::name).toList();
  }
}
