package dev.errand.tool.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class McpConfigTest {

  @Test
  void processIsConfigured() {
    var server =
        read(
            Map.of(
                "errand.mcp.servers.files.command", "npx,-y,a server",
                "errand.mcp.servers.files.environment.API_KEY", "k",
                "errand.mcp.servers.files.timeout", "5s",
                "errand.mcp.servers.files.tools", "read,list"));

    assertThat(server.place())
        .isEqualTo(
            new ServerDefinition.ServerAddress.Command(
                List.of("npx", "-y", "a server"), Map.of("API_KEY", "k")));
    assertThat(server.timeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(server.startTimeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(server.only()).containsExactlyInAnyOrder("read", "list");
  }

  @Test
  void httpServerIsConfiguredAndItsHeadersAreNotShown() {
    var server =
        read(
            Map.of(
                "errand.mcp.servers.files.url", "https://example.com/mcp",
                "errand.mcp.servers.files.headers.Authorization", "Bearer s3cret"));

    assertThat(server.place()).isInstanceOf(ServerDefinition.ServerAddress.Url.class);
    assertThat(server.toString()).contains("example.com").doesNotContain("s3cret");
  }

  @Test
  void errorsOfTheConfigurationNameTheProperty() {
    assertThatThrownBy(() -> read(Map.of("errand.mcp.servers.files.timeout", "5s")))
        .hasMessage(
            "The MCP server 'files' needs either errand.mcp.servers.files.command or .url, and not"
                + " both.");
    assertThatThrownBy(() ->
            read(
                Map.of(
                    "errand.mcp.servers.files.command", "a",
                    "errand.mcp.servers.files.url", "http://x")))
        .hasMessageContaining("and not both");
    assertThatThrownBy(() -> read(Map.of("errand.mcp.servers.files.url", "ftp://x")))
        .hasMessage(
            "errand.mcp.servers.files.url must begin with https:// or http://, for example"
                + " https://api.example.com/v1.");
    assertThatThrownBy(() -> read(Map.of("errand.mcp.servers.My_Files.command", "a")))
        .hasMessage("The MCP server name 'My_Files' must have 1 to 32 of a-z, 0-9 and -.");
    assertThatThrownBy(() ->
            read(
                Map.of(
                    "errand.mcp.servers.files.url", "http://x",
                    "errand.mcp.servers.files.headers.Host", "y")))
        .hasMessage("errand.mcp.servers.files.headers.Host is not a header that can be sent.");
  }

  private static ServerDefinition read(Map<String, String> properties) {
    var config =
        new SmallRyeConfigBuilder()
            .addDiscoveredConverters()
            .withMapping(McpConfig.class)
            .withSources(new PropertiesConfigSource(properties, "test", 100))
            .build()
            .getConfigMapping(McpConfig.class);
    var entry = config.servers().entrySet().iterator().next();
    return ServerDefinition.of(entry.getKey(), entry.getValue());
  }
}
