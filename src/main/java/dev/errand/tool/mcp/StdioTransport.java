package dev.errand.tool.mcp;

import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.Function;
import org.jboss.logging.Logger;
import reactor.core.publisher.Mono;

/**
 * Sends and receives messages as lines of a process's standard input and output. The transport of
 * the SDK passes the whole environment to the process and does not report its exit.
 */
final class StdioTransport implements McpClientTransport {

  private static final Logger LOG = Logger.getLogger(StdioTransport.class);

  private final ServerProcess process;
  private final McpJsonMapper json;

  StdioTransport(ServerProcess process, McpJsonMapper json) {
    this.process = process;
    this.json = json;
  }

  @Override
  public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
    return Mono.fromRunnable(() -> process.listen(line -> deliver(line, handler)));
  }

  /** Some servers print a greeting; lines that are not messages are skipped. */
  private void deliver(String line, Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
    try {
      var message = McpSchema.deserializeJsonRpcMessage(json, line);
      handler
          .apply(Mono.just(message))
          .subscribe(_ -> {}, odd -> LOG.debugf("A message was not understood: %s", odd));
    } catch (IOException | RuntimeException odd) {
      LOG.debugf("A line is not a message: %s", odd.getClass().getSimpleName());
    }
  }

  @Override
  public Mono<Void> sendMessage(JSONRPCMessage message) {
    return Mono.fromRunnable(() -> process.send(written(message)));
  }

  private String written(JSONRPCMessage message) {
    try {
      return json.writeValueAsString(message);
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  @Override
  public Mono<Void> closeGracefully() {
    return Mono.fromRunnable(process::stop);
  }

  @Override
  public <T> T unmarshalFrom(Object data, TypeRef<T> typeRef) {
    return json.convertValue(data, typeRef);
  }
}
