package dev.errand.tool.mcp;

import io.modelcontextprotocol.client.McpAsyncClient;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Wraps a transport and adds what the SDK does not have: the id of a sent call, so that the call
 * can be cancelled; the progress of a call, in any form in which servers report it; problems of the
 * transport; and answers that are read leniently.
 */
final class CallTransport implements McpClientTransport {

  private static final String CALL = CallTransport.class.getName();
  private static final String PROGRESS = "notifications/progress";

  private final McpClientTransport transport;
  private final Consumer<Throwable> trouble;
  private final AtomicLong tokens = new AtomicLong();
  private final Map<String, SentCall> open = new ConcurrentHashMap<>();

  CallTransport(McpClientTransport transport, Consumer<Throwable> trouble) {
    this.transport = transport;
    this.trouble = trouble;
  }

  /** A call that was sent. */
  final class SentCall implements AutoCloseable {

    private final long token = tokens.incrementAndGet();
    private final Runnable progressed;
    private final AtomicReference<@Nullable Object> id = new AtomicReference<>();

    private SentCall(Runnable progressed) {
      this.progressed = progressed;
    }

    /** Identifies the call in reports of its progress; a number, as most clients send it. */
    long token() {
      return token;
    }

    /** Records the id of the request that this work sends. */
    <T> Mono<T> by(Mono<T> work) {
      return work.contextWrite(context -> context.put(CALL, this));
    }

    /**
     * Tells the server that its answer is not needed any more. Only a hint: the server may not know
     * the notification, or ignore it.
     *
     * @param client that made the call; it sends the version of the protocol only with requests
     */
    void cancel(McpAsyncClient client) {
      var version = client.getCurrentInitializationResult().protocolVersion();
      Optional.ofNullable(id.get())
          .map(sentId -> Map.of("requestId", sentId, "reason", "the caller stopped waiting"))
          .map(details -> new McpSchema.JSONRPCNotification("notifications/cancelled", details))
          .ifPresent(notice ->
              transport
                  .sendMessage(notice)
                  .contextWrite(
                      context -> context.put(McpAsyncClient.NEGOTIATED_PROTOCOL_VERSION, version))
                  .onErrorComplete()
                  .subscribe());
    }

    /** Ignores later reports of progress. */
    @Override
    public void close() {
      open.remove(String.valueOf(token));
    }
  }

  /**
   * Registers a call.
   *
   * @param progressed is run when the server reports progress, until the call is closed
   */
  SentCall call(Runnable progressed) {
    var call = new SentCall(progressed);
    open.put(String.valueOf(call.token()), call);
    return call;
  }

  @Override
  public Mono<Void> sendMessage(JSONRPCMessage message) {
    return Mono.deferContextual(context -> {
      if (message instanceof McpSchema.JSONRPCRequest request) {
        context.<SentCall>getOrEmpty(CALL).ifPresent(sent -> sent.id.set(request.id()));
      }
      return transport.sendMessage(message);
    });
  }

  @Override
  public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
    return transport.connect(
        messages -> handler.apply(messages.filter(message -> !isProgress(message))));
  }

  /** Passes a report of progress on to its call. */
  private boolean isProgress(JSONRPCMessage message) {
    if (!(message instanceof McpSchema.JSONRPCNotification notice)
        || !PROGRESS.equals(notice.method())) {
      return false;
    }
    if (notice.params() instanceof Map<?, ?> report) {
      var call = open.get(String.valueOf(report.get("progressToken")));
      if (call != null) {
        call.progressed.run();
      }
    }
    return true;
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
    return transport.unmarshalFrom(ServerAnswers.readable(data, typeRef.getType()), typeRef);
  }

  @Override
  public List<String> protocolVersions() {
    return transport.protocolVersions();
  }
}
