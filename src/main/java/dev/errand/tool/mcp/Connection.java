package dev.errand.tool.mcp;

import io.modelcontextprotocol.client.McpAsyncClient;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator.ValidationResponse;
import io.modelcontextprotocol.spec.McpSchema;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;

/** One conversation with a server, from its greeting until it is lost. */
final class Connection implements AutoCloseable {

  private static final Duration CHECK_EVERY = Duration.ofSeconds(30);

  private final ServerDefinition server;
  private final McpLink wire;
  private final Consumer<List<McpSchema.Tool>> listed;
  private final Semaphore toCheck = new Semaphore(0);
  private final CallTransport transport;
  private final McpAsyncClient client;

  private Connection(ServerDefinition server, McpLink wire, Consumer<List<McpSchema.Tool>> listed) {
    this.server = server;
    this.wire = wire;
    this.listed = listed;
    this.transport = new CallTransport(wire.transport(), this::trouble);
    this.client =
        McpClient.async(transport)
            .clientInfo(McpSchema.Implementation.builder("errand", "1").build())
            .requestTimeout(longest(server).plusSeconds(5))
            .initializationTimeout(server.startTimeout().plusSeconds(5))
            .jsonSchemaValidator((_, _) -> ValidationResponse.asValid(""))
            .toolsChangeConsumer(tools -> Mono.fromRunnable(() -> listed.accept(tools)))
            .build();
    wire.lost().thenRun(toCheck::release);
  }

  private static Duration longest(ServerDefinition server) {
    return server.timeout().compareTo(server.startTimeout()) > 0
        ? server.timeout()
        : server.startTimeout();
  }

  /**
   * Greets the server and asks for its tools.
   *
   * @param listed gets the tools, now and whenever they change
   * @throws ServerDown it cannot be reached, or does not answer in time
   */
  static Connection open(ServerDefinition server, Consumer<List<McpSchema.Tool>> listed)
      throws ServerDown, InterruptedException {
    var connection = new Connection(server, McpLink.to(server), listed);
    try {
      connection.greet();
      return connection;
    } catch (ServerDown | InterruptedException | RuntimeException fault) {
      connection.close();
      throw fault;
    }
  }

  private void greet() throws ServerDown, InterruptedException {
    ask(client.initialize());
    list();
  }

  private void list() throws ServerDown, InterruptedException {
    var capabilities = client.getServerCapabilities();
    var hasTools = capabilities != null && capabilities.tools() != null;
    listed.accept(hasTools ? ask(client.listTools()).tools() : List.of());
  }

  private <T> T ask(Mono<T> question) throws ServerDown, InterruptedException {
    var answer = question.toFuture();
    try {
      CompletableFuture.anyOf(answer, wire.lost())
          .get(server.startTimeout().toMillis(), TimeUnit.MILLISECONDS);
      if (answer.isDone()) {
        return answer.get();
      }
      throw new ServerDown(wire.lost().join(), wire.lastWords().get());
    } catch (TimeoutException late) {
      throw new ServerDown(
          "it did not answer within " + McpErrors.inWords(server.startTimeout()),
          wire.lastWords().get());
    } catch (ExecutionException fault) {
      throw new ServerDown(wire.lost().getNow(McpErrors.reason(fault)), wire.lastWords().get());
    } finally {
      answer.cancel(true);
    }
  }

  /**
   * Calls a tool and waits for the result.
   *
   * @throws CallFailed there is none
   */
  McpSchema.CallToolResult call(String tool, Map<String, Object> arguments) throws CallFailed {
    var request = McpSchema.CallToolRequest.builder(tool).arguments(arguments).build();
    var sent = new CallTransport.Sent();
    var answer = sent.by(client.callTool(request)).toFuture();
    try {
      CompletableFuture.anyOf(answer, wire.lost())
          .get(server.timeout().toMillis(), TimeUnit.MILLISECONDS);
      if (answer.isDone()) {
        return answer.get();
      }
      throw new CallFailed(new CallFailed.Lost(wire.lost().join()));
    } catch (TimeoutException late) {
      cancel(sent);
      throw new CallFailed(new CallFailed.Late());
    } catch (InterruptedException stopped) {
      cancel(sent);
      Thread.currentThread().interrupt();
      throw new CallFailed(new CallFailed.Interrupted());
    } catch (ExecutionException fault) {
      throw new CallFailed(failure(fault));
    } finally {
      answer.cancel(true);
    }
  }

  private CallFailed.Cause failure(ExecutionException fault) {
    var cause = McpErrors.failure(fault);
    if (!(cause instanceof CallFailed.Lost)) {
      return cause;
    }
    if (wire.lost().isDone()) {
      // whoever closed the lost connection failed the call, too: the first reason tells more
      return new CallFailed.Lost(wire.lost().join());
    }
    trouble(fault);
    return cause;
  }

  /** A hint: the server may not know the notification, or not heed it. */
  private void cancel(CallTransport.Sent sent) {
    var id = sent.id();
    if (id != null) {
      var notice =
          new McpSchema.JSONRPCNotification(
              "notifications/cancelled",
              Map.of("requestId", id, "reason", "nobody waits any more"));
      transport.sendMessage(notice).onErrorComplete().subscribe();
    }
  }

  /**
   * Waits until the connection is lost; returns why. A server that is only asked over HTTP is asked
   * for its tools every 30 s, and whenever the transport had trouble.
   */
  String awaitLoss() throws InterruptedException {
    while (!wire.lost().isDone()) {
      toCheck.tryAcquire(CHECK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
      toCheck.drainPermits();
      if (wire.watched() && !wire.lost().isDone()) {
        check();
      }
    }
    return wire.lost().join();
  }

  /** A session that is forgotten does not come back; all else may have been this once. */
  private void trouble(Throwable fault) {
    if (McpErrors.saysSessionGone(fault)) {
      wire.lost().complete(McpErrors.reason(fault));
    } else {
      toCheck.release();
    }
  }

  private void check() throws InterruptedException {
    try {
      list();
    } catch (ServerDown gone) {
      wire.lost().complete(gone.reason());
    }
  }

  List<String> lastWords() {
    return wire.lastWords().get();
  }

  /** Ends the server's process, too; calls that wait get their error. */
  @Override
  public void close() {
    wire.lost().complete("the connection was closed");
    client.close();
    wire.close().run();
  }
}
