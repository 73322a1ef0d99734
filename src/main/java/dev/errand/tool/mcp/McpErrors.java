package dev.errand.tool.mcp;

import dev.errand.conversation.TextCut;
import dev.errand.conversation.ToolEffect;
import dev.errand.conversation.UntrustedText;
import dev.errand.egress.TlsFault;
import io.modelcontextprotocol.client.transport.McpHttpClientTransportAuthorizationException;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpTransportSessionNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/** Translates exceptions of the SDK into texts without addresses, headers and bodies. */
final class McpErrors {

  static final String UNREADABLE = "it sent an answer that cannot be read";

  private static final Logger LOG = Logger.getLogger(McpErrors.class);

  private static final int MAX_MESSAGE_CHARS = 2_000;

  private McpErrors() {}

  /**
   * Returns the message with which the server refused a request; empty if it did not refuse one.
   */
  static Optional<String> refusal(Throwable fault) {
    return causes(fault)
        .filter(McpError.class::isInstance)
        .findFirst()
        .map(cause -> TextCut.withEllipsis(message((McpError) cause), MAX_MESSAGE_CHARS));
  }

  /** Returns why there is no connection, as part of a sentence. */
  static String reason(Throwable fault) {
    return refusal(fault)
        .map(message -> "it refused the connection: " + message)
        .or(() -> transportReason(fault))
        .orElse(UNREADABLE);
  }

  /**
   * Returns which problem the transport had, as part of a sentence; empty if the fault names none.
   */
  static Optional<String> transportReason(Throwable fault) {
    LOG.debugf(fault, "An MCP server failed");
    return TlsFault.in(fault)
        .map(tls -> tls.reason() + tls.remedy())
        .or(() -> causes(fault).flatMap(cause -> transportReasonOf(cause).stream()).findFirst());
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

  /** A server is not available. */
  static final class ServerDown extends Exception {

    private static final long serialVersionUID = 1;

    private final String reason;
    private final transient List<String> stderrTail;

    /**
     * @param reason part of a sentence for models, without commands, addresses and headers
     * @param stderrTail the last lines of standard error, for operators only
     */
    ServerDown(String reason, List<String> stderrTail) {
      super(reason);
      this.reason = reason;
      this.stderrTail = List.copyOf(stderrTail);
    }

    String reason() {
      return reason;
    }

    List<String> stderrTail() {
      return stderrTail;
    }
  }

  /** A call ended without a result. */
  static final class CallFailed extends Exception {

    private static final long serialVersionUID = 1;

    private final transient NoResult cause;

    CallFailed(NoResult cause) {
      super(cause.toString());
      this.cause = cause;
    }

    NoResult why() {
      return cause;
    }

    /** The reason why a call has no result. */
    sealed interface NoResult {}

    /** The server refused the call with this message. */
    record CallRefused(String message) implements NoResult {}

    /** The server was lost before the call was sent. */
    record NotSent(String reason) implements NoResult {}

    /** The server was lost during the call; whether the call took effect is unknown. */
    record ServerLost(String reason) implements NoResult {}

    /**
     * The call timed out; whether it took effect is unknown.
     *
     * @param missed what the server did not do in time, as part of a sentence
     */
    record Late(String missed) implements NoResult {}

    /** The caller was interrupted. */
    record CallerInterrupted() implements NoResult {}
  }

  /** The texts that models read when a server did not do what it was asked. */
  record McpErrorText(ServerDefinition server) {

    String notRunning(String reason) {
      return "The MCP server '%s' is not running: %s. It is being started again; the call was not made."
          .formatted(server.name(), reason);
    }

    /** Returns why a call has no result, and whether the model may repeat it. */
    String of(CallFailed.NoResult cause, McpTool tool) {
      return switch (cause) {
        case CallFailed.CallRefused refused ->
            "The MCP server '%s' refused the call: %s"
                .formatted(server.name(), UntrustedText.quoted(refused.message()));
        case CallFailed.NotSent notSent -> notRunning(notSent.reason());
        case CallFailed.ServerLost lost ->
            "The call to the MCP server '%s' failed: %s.%s"
                .formatted(server.name(), lost.reason(), effect(tool));
        case CallFailed.Late late ->
            "The MCP server '%s' %s.%s".formatted(server.name(), late.missed(), effect(tool));
        case CallFailed.CallerInterrupted _ -> "The call was interrupted.";
      };
    }

    private static String effect(McpTool tool) {
      return tool.effect() == ToolEffect.PURE
          ? " The call may be repeated."
          : " Whether it took effect is unknown: verify before repeating it.";
    }
  }
}
