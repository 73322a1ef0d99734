package dev.errand.tool.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.tool.mcp.McpErrors.CallFailed;
import dev.errand.tool.mcp.McpErrors.ServerDown;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A connection to a server, from initialization until the server is lost. */
final class Connection implements AutoCloseable {

  private static final Duration CHECK_EVERY = Duration.ofSeconds(30);

  private final ServerDefinition server;
  private final McpLink link;
  private final Consumer<List<McpSchema.Tool>> listed;
  private final Semaphore toCheck = new Semaphore(0);
  private final CallTransport transport;
  private final McpAsyncClient client;
  private final AtomicInteger calls = new AtomicInteger();
  private @Nullable List<McpSchema.Tool> last;
  private boolean failedBefore;

  private Connection(ServerDefinition server, McpLink link, Consumer<List<McpSchema.Tool>> listed) {
    this.server = server;
    this.link = link;
    this.listed = listed;
    this.transport = new CallTransport(link.transport(), this::trouble);
    this.client =
        McpClient.async(transport)
            .clientInfo(McpSchema.Implementation.builder("errand", "1").build())
            .requestTimeout(longest(server).plusSeconds(5))
            .initializationTimeout(server.startTimeout().plusSeconds(5))
            .jsonSchemaValidator((_, _) -> ValidationResponse.asValid(""))
            .toolsChangeConsumer(tools -> Mono.fromRunnable(() -> passOn(tools)))
            .build();
    link.lost().thenRun(toCheck::release);
  }

  private static Duration longest(ServerDefinition server) {
    var call = CallDeadline.longest(server.timeout());
    return call.compareTo(server.startTimeout()) > 0 ? call : server.startTimeout();
  }

  /**
   * Connects to the server and asks for its tools.
   *
   * @param listed gets the tools, now and when they change
   * @throws ServerDown the server cannot be reached or does not answer in time
   */
  static Connection open(ServerDefinition server, Consumer<List<McpSchema.Tool>> listed)
      throws ServerDown, InterruptedException {
    var connection = new Connection(server, McpLink.to(server), listed);
    try {
      connection.initialize();
      return connection;
    } catch (ServerDown | InterruptedException | RuntimeException fault) {
      connection.close();
      throw fault;
    }
  }

  private void initialize() throws ServerDown, InterruptedException {
    ask(client.initialize());
    list();
  }

  private void list() throws ServerDown, InterruptedException {
    var capabilities = client.getServerCapabilities();
    var hasTools = capabilities != null && capabilities.tools() != null;
    passOn(hasTools ? ask(client.listTools()).tools() : List.of());
  }

  private synchronized void passOn(List<McpSchema.Tool> tools) {
    if (!tools.equals(last)) {
      listed.accept(tools);
      last = tools;
    }
  }

  private <T> T ask(Mono<T> question) throws ServerDown, InterruptedException {
    var answer = question.toFuture();
    try {
      CompletableFuture.anyOf(answer, link.lost())
          .get(server.startTimeout().toMillis(), TimeUnit.MILLISECONDS);
      if (answer.isDone()) {
        return answer.get();
      }
      throw new ServerDown(link.lost().join(), link.stderrTail().get());
    } catch (TimeoutException late) {
      throw new ServerDown(
          "it did not answer within " + McpErrors.text(server.startTimeout()),
          link.stderrTail().get());
    } catch (ExecutionException fault) {
      throw new ServerDown(link.lost().getNow(McpErrors.reason(fault)), link.stderrTail().get());
    } finally {
      answer.cancel(true);
    }
  }

  /**
   * Calls a tool and waits for the result.
   *
   * @return the result as the server sent it
   * @throws CallFailed the call has no result
   */
  JsonNode call(String tool, Map<String, Object> arguments) throws CallFailed {
    if (link.lost().isDone()) {
      throw new CallFailed(new CallFailed.NotSent(link.lost().join()));
    }
    var deadline = new CallDeadline(server.timeout(), System::nanoTime);
    calls.incrementAndGet();
    try (var sent = transport.call(deadline::progressed)) {
      var request =
          McpSchema.CallToolRequest.builder(tool)
              .arguments(arguments)
              .progressToken(sent.token())
              .build();
      return answer(sent, sent.by(client.callTool(request)).toFuture(), deadline);
    } finally {
      calls.decrementAndGet();
    }
  }

  private JsonNode answer(
      CallTransport.SentCall sent,
      CompletableFuture<McpSchema.CallToolResult> answer,
      CallDeadline deadline)
      throws CallFailed {
    try {
      await(CompletableFuture.anyOf(answer, link.lost()), deadline);
      if (answer.isDone()) {
        return ServerAnswers.result(answer.get());
      }
      throw new CallFailed(new CallFailed.ServerLost(link.lost().join()));
    } catch (TimeoutException late) {
      sent.cancel(client);
      throw new CallFailed(new CallFailed.Late(deadline.missed()));
    } catch (InterruptedException stopped) {
      sent.cancel(client);
      Thread.currentThread().interrupt();
      throw new CallFailed(new CallFailed.CallerInterrupted());
    } catch (ExecutionException fault) {
      throw new CallFailed(failure(fault));
    } finally {
      answer.cancel(true);
    }
  }

  /** Waits until the deadline, which progress moves while this waits. */
  private static void await(CompletableFuture<?> end, CallDeadline deadline)
      throws TimeoutException, InterruptedException, ExecutionException {
    for (var left = deadline.millisLeft(); ; left = deadline.millisLeft()) {
      try {
        end.get(Math.max(left, 0), TimeUnit.MILLISECONDS);
        return;
      } catch (TimeoutException late) {
        if (deadline.millisLeft() <= 0) {
          throw late;
        }
      }
    }
  }

  /**
   * Closing a lost connection fails its calls, too. Such a call reports why the connection was
   * lost; a call with a transport problem of its own reports that problem.
   */
  private CallFailed.NoResult failure(ExecutionException fault) {
    var refusal = McpErrors.refusal(fault);
    if (refusal.isPresent()) {
      return new CallFailed.CallRefused(refusal.get());
    }
    trouble(fault);
    return new CallFailed.ServerLost(
        McpErrors.transportReason(fault).orElseGet(() -> link.lost().getNow(McpErrors.UNREADABLE)));
  }

  /**
   * Waits until the connection is lost and returns the reason. An HTTP server is asked for its
   * tools every 30 s, and after each problem of the transport.
   */
  String awaitLoss() throws InterruptedException {
    while (!link.lost().isDone()) {
      toCheck.tryAcquire(CHECK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
      toCheck.drainPermits();
      if (link.polled() && !link.lost().isDone()) {
        check();
      }
    }
    return link.lost().join();
  }

  /** A forgotten session does not come back; other problems may be temporary. */
  private void trouble(Throwable fault) {
    if (McpErrors.saysSessionGone(fault)) {
      link.lost().complete(McpErrors.reason(fault));
    } else {
      toCheck.release();
    }
  }

  /**
   * Some servers answer no other request while they execute a call. A failed check is therefore
   * ignored during a call. Otherwise it is repeated once, because a call may just have ended.
   */
  private void check() throws InterruptedException {
    try {
      list();
      failedBefore = false;
    } catch (ServerDown gone) {
      if (calls.get() == 0) {
        if (failedBefore) {
          link.lost().complete(gone.reason());
        }
        failedBefore = true;
        toCheck.release();
      }
    }
  }

  List<String> stderrTail() {
    return link.stderrTail().get();
  }

  /** Closes the connection, and ends the process of the server; waiting calls fail. */
  @Override
  public void close() {
    link.lost().complete("the connection was closed");
    client.close();
    link.close().run();
  }
}
