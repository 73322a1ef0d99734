package dev.errand.tool.mcp;

import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Wraps a transport and reports what the SDK does not: the id of a sent call, so that the call can
 * be cancelled, and problems of the transport.
 */
final class CallTransport implements McpClientTransport {

  private static final String CALL = CallTransport.class.getName();

  private final McpClientTransport transport;
  private final Consumer<Throwable> trouble;

  CallTransport(McpClientTransport transport, Consumer<Throwable> trouble) {
    this.transport = transport;
    this.trouble = trouble;
  }

  /** The id of one request, available after it is sent. */
  static final class Sent {

    private final AtomicReference<@Nullable Object> id = new AtomicReference<>();

    /** Records the id of the request that this work sends. */
    <T> Mono<T> by(Mono<T> work) {
      return work.contextWrite(context -> context.put(CALL, this));
    }

    Optional<Object> id() {
      return Optional.ofNullable(id.get());
    }
  }

  @Override
  public Mono<Void> sendMessage(JSONRPCMessage message) {
    return Mono.deferContextual(context -> {
      if (message instanceof McpSchema.JSONRPCRequest request) {
        context.<Sent>getOrEmpty(CALL).ifPresent(sent -> sent.id.set(request.id()));
      }
      return transport.sendMessage(message);
    });
  }

  @Override
  public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
    return transport.connect(handler);
  }

  /** Replaces the handler of the SDK, which would reconnect without a report. */
  @Override
  public void setExceptionHandler(Consumer<Throwable> handler) {
    transport.setExceptionHandler(trouble);
  }

  @Override
  public Mono<Void> closeGracefully() {
    return transport.closeGracefully();
  }

  @Override
  public <T> T unmarshalFrom(Object data, TypeRef<T> typeRef) {
    return transport.unmarshalFrom(data, typeRef);
  }

  @Override
  public List<String> protocolVersions() {
    return transport.protocolVersions();
  }
}
