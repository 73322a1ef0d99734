package dev.errand.tool.mcp;

import dev.errand.conversation.TextCut;
import io.modelcontextprotocol.client.transport.McpHttpClientTransportAuthorizationException;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpTransportSessionNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/** Translates exceptions of the SDK into texts without addresses, headers and bodies. */
final class McpErrors {

  static final String UNREADABLE = "it sent an answer that cannot be read";

  private static final Logger LOG = Logger.getLogger(McpErrors.class);

  private static final int MAX_MESSAGE_CHARS = 2_000;

  private McpErrors() {}

  /** The message with which the server refused a request; empty if it did not refuse one. */
  static Optional<String> refusal(Throwable fault) {
    return causes(fault)
        .filter(McpError.class::isInstance)
        .findFirst()
        .map(cause -> TextCut.withEllipsis(message((McpError) cause), MAX_MESSAGE_CHARS));
  }

  /** Why there is no connection, as part of a sentence. */
  static String reason(Throwable fault) {
    return refusal(fault)
        .map(message -> "it refused the connection: " + message)
        .or(() -> transportReason(fault))
        .orElse(UNREADABLE);
  }

  /** Which problem the transport had, as part of a sentence; empty if the fault names none. */
  static Optional<String> transportReason(Throwable fault) {
    LOG.debugf(fault, "An MCP server failed");
    return causes(fault).flatMap(cause -> transportReasonOf(cause).stream()).findFirst();
  }

  private static Optional<String> transportReasonOf(Throwable cause) {
    return switch (cause) {
      case McpTransportSessionNotFoundException _ -> Optional.of("it has forgotten the session");
      case McpHttpClientTransportAuthorizationException _ ->
          Optional.of("it does not accept the credentials");
      case ConnectException _ -> Optional.of("it cannot be connected to");
      case IOException _ -> Optional.of("the connection broke");
      default -> Optional.empty();
    };
  }

  static boolean saysSessionGone(Throwable fault) {
    return causes(fault).anyMatch(McpTransportSessionNotFoundException.class::isInstance);
  }

  private static Stream<Throwable> causes(Throwable fault) {
    return Stream.iterate(fault, cause -> cause != null, Throwable::getCause);
  }

  private static String message(McpError error) {
    var answer = error.getJsonRpcError();
    return answer == null || answer.message() == null
        ? String.valueOf(error.getMessage())
        : answer.message();
  }

  static String text(Duration duration) {
    return duration.toMillis() % 1000 == 0
        ? duration.toSeconds() + " s"
        : duration.toMillis() + " ms";
  }
}
