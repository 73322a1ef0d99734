package dev.errand.tool.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.Ports;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.mcp.McpServers.ServerStatus;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HttpServerTest {

  private static final ToolOutcome.Done HELLO = ToolOutcome.ok("hello");

  private final McpKit kit = new McpKit();
  private OddHttpServer server;

  HttpServerTest() throws IOException {
    server = new OddHttpServer(Ports.free());
  }

  @AfterEach
  void stop() {
    kit.close();
    server.close();
  }

  @Test
  void toolsAreListedAndCalled() {
    kit.running(definition(server.address()));

    assertThat(echo()).isEqualTo(HELLO);
    assertThat(kit.call("web_refuse", Map.of()))
        .isEqualTo(ToolOutcome.error("The MCP server 'web' refused the call: not today"));
  }

  @Test
  void newToolsAreOffered() {
    kit.running(definition(server.address()));
    await().atMost(Duration.ofSeconds(60)).until(server::hasListener);

    kit.call("web_grow", Map.of());

    await().atMost(Duration.ofSeconds(60)).until(() -> kit.toolBox().find("web_grown").isPresent());
  }

  /** After a failed call, the server is asked for its tools. */
  @Test
  void sameToolsAreNotBuiltAgain() {
    kit.running(definition(server.address()));
    var before = kit.servers().tools();
    var lists = server.lists();

    server.failCalls();
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> echo().isError() && server.lists() >= lists + 2);

    assertThat(kit.servers().tools()).isNotEmpty().isSameAs(before);
  }

  @Test
  void unreachableServerIsAnErrorAndIsReconnected() {
    kit.running(definition(server.address()));
    var port = server.port();

    server.close();
    assertThat(echo().isError()).isTrue();
    assertThat(kit.awaitDown("web").problem())
        .isIn("it cannot be connected to", "the connection broke");
    assertThat(echo().text()).startsWith("The MCP server 'web' is not running: ");
    server = new OddHttpServer(port);
    kit.await("web", ServerStatus.ServerState.RUNNING);

    assertThat(echo()).isEqualTo(HELLO);
  }

  @Test
  void serverThatForgotTheSessionIsReconnected() {
    kit.running(definition(server.address()));

    server.forgetSessions();

    await().atMost(Duration.ofSeconds(60)).until(() -> echo().equals(HELLO));
  }

  @Test
  void callWithoutAnAnswerIsAnError() {
    kit.running(McpKit.hasty(definition(server.address())));

    assertThat(kit.call("web_never", Map.of()).isError()).isTrue();
    await().atMost(Duration.ofSeconds(60)).until(() -> "2025-06-18".equals(server.cancelledIn()));
    await().atMost(Duration.ofSeconds(60)).until(() -> echo().equals(HELLO));
  }

  /** Some servers answer nothing else while they execute a call. */
  @Test
  void callIsNotGivenUpWhileTheServerAnswersNothingElse() {
    kit.running(definition(server.address()));
    var lists = server.lists();
    var call =
        CompletableFuture.supplyAsync(
            () -> kit.call("web_echo", Map.of("text", "wait")),
            task -> Thread.ofVirtual().start(task));
    await().atMost(Duration.ofSeconds(60)).until(server::isWaiting);

    server.failCalls();
    server.failLists();
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> echo().isError() && server.lists() >= lists + 2);
    server.release();

    assertThat(call.join()).isEqualTo(ToolOutcome.ok("wait"));
  }

  @Test
  void refusedTokenIsReportedButNotShown() {
    var url =
        new ServerDefinition.ServerAddress.Url(server.address(), Map.of("Authorization", "wr0ng"));
    kit.servers().add(McpKit.definition("web", url));

    var status = kit.awaitDown("web");

    assertThat(status.problem()).isEqualTo("it does not accept the credentials");
    assertThat(url.toString() + status).doesNotContain("wr0ng");
  }

  private ToolOutcome.Done echo() {
    return kit.call("web_echo", Map.of("text", "hello"));
  }

  private static ServerDefinition definition(URI address) {
    var headers = Map.of("Authorization", "Bearer s3cret");
    return new ServerDefinition(
        "web",
        new ServerDefinition.ServerAddress.Url(address, headers),
        Duration.ofSeconds(60),
        Duration.ofSeconds(60),
        null);
  }
}
