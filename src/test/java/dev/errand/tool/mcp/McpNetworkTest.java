package dev.errand.tool.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.egress.Proxies;
import dev.errand.kit.Certificates;
import dev.errand.kit.HttpProxy;
import dev.errand.kit.Ports;
import dev.errand.kit.TlsFront;
import dev.errand.tool.ToolOutcome;
import java.io.IOException;
import java.net.ProxySelector;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** MCP servers behind a proxy, and with a certificate that is not accepted. */
class McpNetworkTest {

  private final @Nullable ProxySelector before = ProxySelector.getDefault();
  private final McpKit kit = new McpKit();
  private final OddHttpServer server;

  McpNetworkTest() throws IOException {
    server = new OddHttpServer(Ports.free());
  }

  @AfterEach
  void stop() {
    ProxySelector.setDefault(before);
    kit.close();
    server.close();
  }

  private static ServerDefinition definition(URI address) {
    // As in a file of environment variables with quotation marks.
    var headers = Map.of("Authorization", "\"Bearer s3cret\"\n");
    return McpKit.definition("web", new ServerDefinition.ServerAddress.Url(address, headers));
  }

  @Test
  void serverIsCalledThroughTheProxy() throws Exception {
    try (var proxy = HttpProxy.to(Map.of("mcp.example:80", server.port()), "user:password")) {
      var address = "http://user:password@127.0.0.1:" + proxy.port();
      Proxies.install(name -> name.equals("HTTP_PROXY") ? Optional.of(address) : Optional.empty());

      kit.running(definition(URI.create("http://mcp.example/mcp")));

      assertThat(kit.call("web_echo", Map.of("text", "hello"))).isEqualTo(ToolOutcome.ok("hello"));
      assertThat(proxy.passed())
          .hasSizeGreaterThan(2)
          .allMatch(passed -> passed.endsWith(" http://mcp.example/mcp"));
      assertThat(proxy.refused()).isEmpty();
    }
  }

  @Test
  void certificateThatIsNotTrustedIsNamed() throws Exception {
    try (var front = TlsFront.before(server.address().toString(), Certificates.by("unknown"))) {
      kit.servers().add(definition(URI.create(front.of(server.address().toString()))));

      assertThat(kit.awaitDown("web").problem())
          .startsWith("its certificate is not trusted")
          .contains("ERRAND_CA_FILE")
          .doesNotContain("127.0.0.1");
    }
  }
}
