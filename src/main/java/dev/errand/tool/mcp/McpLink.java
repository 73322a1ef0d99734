package dev.errand.tool.mcp;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.egress.Proxies;
import dev.errand.tool.mcp.McpErrors.ServerDown;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.jackson2.JacksonMcpJsonMapper;
import io.modelcontextprotocol.spec.McpClientTransport;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The transport to a server and what belongs to it.
 *
 * @param lost completed with the reason when no more answers can arrive
 * @param polled whether the loss of the server is noticed only by asking it
 * @param stderrTail returns the last lines of its standard error
 * @param close ends the transport and the process of the server
 */
record McpLink(
    McpClientTransport transport,
    CompletableFuture<String> lost,
    boolean polled,
    Supplier<List<String>> stderrTail,
    Runnable close) {

  private static final McpJsonMapper JSON = new JacksonMcpJsonMapper(JsonMapper.builder().build());

  private static final Duration CONNECT = Duration.ofSeconds(5);

  /**
   * @throws ServerDown the process cannot be started
   */
  static McpLink to(ServerDefinition server) throws ServerDown {
    return switch (server.place()) {
      case ServerDefinition.ServerAddress.Command command -> stdio(server.name(), command);
      case ServerDefinition.ServerAddress.Url url -> http(url);
    };
  }

  private static McpLink stdio(String server, ServerDefinition.ServerAddress.Command command)
      throws ServerDown {
    var lost = new CompletableFuture<String>();
    try {
      var process = ServerProcess.start(server, command, lost);
      var transport = new StdioTransport(process, JSON);
      return new McpLink(transport, lost, false, process::stderrTail, process::stop);
    } catch (IOException fault) {
      throw new ServerDown(
          "its program cannot be started", List.of(String.valueOf(fault.getMessage())));
    }
  }

  private static McpLink http(ServerDefinition.ServerAddress.Url url) {
    var requests = HttpRequest.newBuilder();
    url.headers().forEach(requests::header);
    Proxies.authorization(url.address())
        .ifPresent(login -> requests.setHeader("Proxy-Authorization", login));
    var address = url.address().toString();
    var transport =
        HttpClientStreamableHttpTransport.builder(address)
            .endpoint(address)
            .jsonMapper(JSON)
            .requestBuilder(requests)
            .connectTimeout(CONNECT)
            .customizeClient(client -> client.executor(Thread::startVirtualThread))
            .build();
    return new McpLink(
        transport,
        new CompletableFuture<>(),
        true,
        List::of,
        () -> transport.closeGracefully().onErrorComplete().subscribe());
  }
}
