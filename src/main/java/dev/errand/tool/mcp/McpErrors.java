package dev.errand.tool.mcp;

import dev.errand.conversation.TextCut;
import io.modelcontextprotocol.client.transport.McpHttpClientTransportAuthorizationException;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpTransportSessionNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Optional;
import org.jboss.logging.Logger;

/** Says the SDK's exceptions in words that name neither addresses nor headers nor bodies. */
final class McpErrors {

  private static final Logger LOG = Logger.getLogger(McpErrors.class);

  private static final int MAX_MESSAGE_CHARS = 2_000;

  private McpErrors() {}

  /** What a call's exception means. */
  static CallFailed.Cause failure(Throwable fault) {
    return refusal(fault)
        .<CallFailed.Cause>map(CallFailed.Refused::new)
        .orElseGet(() -> new CallFailed.Lost(reason(fault)));
  }

  /** Why there is no connection: part of a sentence. */
  static String reason(Throwable fault) {
    LOG.debugf(fault, "An MCP server failed");
    for (var cause = fault; cause != null; cause = cause.getCause()) {
      switch (cause) {
        case McpError error -> {
          return "it refused us: " + TextCut.withEllipsis(message(error), MAX_MESSAGE_CHARS);
        }
        case McpTransportSessionNotFoundException _ -> {
          return "it has forgotten our session";
        }
        case McpHttpClientTransportAuthorizationException _ -> {
          return "it does not accept our credentials";
        }
        case ConnectException _ -> {
          return "it cannot be connected to";
        }
        case IOException _ -> {
          return "the connection broke";
        }
        default -> {}
      }
    }
    return "it answered in a way we cannot read";
  }

  static boolean saysSessionGone(Throwable fault) {
    for (var cause = fault; cause != null; cause = cause.getCause()) {
      if (cause instanceof McpTransportSessionNotFoundException) {
        return true;
      }
    }
    return false;
  }

  private static Optional<String> refusal(Throwable fault) {
    for (var cause = fault; cause != null; cause = cause.getCause()) {
      if (cause instanceof McpError error) {
        return Optional.of(TextCut.withEllipsis(message(error), MAX_MESSAGE_CHARS));
      }
    }
    return Optional.empty();
  }

  private static String message(McpError error) {
    var answer = error.getJsonRpcError();
    return answer == null || answer.message() == null
        ? String.valueOf(error.getMessage())
        : answer.message();
  }

  static String inWords(Duration duration) {
    return duration.toMillis() % 1000 == 0
        ? duration.toSeconds() + " s"
        : duration.toMillis() + " ms";
  }
}
