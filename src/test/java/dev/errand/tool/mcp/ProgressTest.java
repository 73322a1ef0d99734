package dev.errand.tool.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.kit.Ports;
import dev.errand.tool.ToolOutcome;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that take longer than the time limit of their server, 2 s. */
class ProgressTest {

  private static final Map<String, Integer> FOUR_SECONDS =
      Map.of("reports", 16, "everyMillis", 250);

  private final McpKit kit = new McpKit();

  @AfterEach
  void stop() {
    kit.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"good", "text", "bare"})
  void programThatReportsProgressIsWaitedFor(String form) throws IOException {
    kit.running(McpKit.hasty(McpKit.process("odd", OddServer.command("good"))));

    assertThat(kit.call("odd_work", work(form))).isEqualTo(ToolOutcome.ok("worked"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"good", "text", "bare"})
  void httpServerThatReportsProgressIsWaitedFor(String form) throws IOException {
    try (var server = new OddHttpServer(Ports.free())) {
      kit.running(McpKit.hasty(web(server)));

      assertThat(kit.call("web_work", work(form))).isEqualTo(ToolOutcome.ok("worked"));
    }
  }

  @ParameterizedTest
  @CsvSource({"odd, none", "odd, other", "web, none", "web, other"})
  void callWithoutProgressOfItsOwnTimesOut(String place, String form) throws IOException {
    try (var server = new OddHttpServer(Ports.free())) {
      kit.running(
          McpKit.hasty(
              place.equals("web")
                  ? web(server)
                  : McpKit.process("odd", OddServer.command("good"))));

      assertThat(kit.call(place + "_work", work(form)).text())
          .isEqualTo(
              "The MCP server '%s' did not answer within 2 s. Whether it took effect is unknown: verify before repeating it."
                  .formatted(place));
    }
  }

  private static Map<String, Object> work(String form) throws IOException {
    var arguments = new HashMap<String, Object>(FOUR_SECONDS);
    arguments.put("form", form);
    return arguments;
  }

  private static ServerDefinition web(OddHttpServer server) {
    return McpKit.definition(
        "web",
        new ServerDefinition.ServerAddress.Url(
            server.address(), Map.of("Authorization", "Bearer s3cret")));
  }
}
