package dev.errand.tool.mcp;

import dev.errand.conversation.ToolEffect;
import dev.errand.conversation.UntrustedText;

/** The texts that models read when a server did not do what it was asked. */
record McpErrorText(ServerDefinition server) {

  String notRunning(String reason) {
    return "The MCP server '%s' is not running: %s. It is being started again; the call was not made."
        .formatted(server.name(), reason);
  }

  /** Why a call has no result, and whether the model may repeat it. */
  String of(CallFailed.Cause cause, McpTool tool) {
    return switch (cause) {
      case CallFailed.Refused refused ->
          "The MCP server '%s' refused the call: %s"
              .formatted(server.name(), UntrustedText.quoted(refused.message()));
      case CallFailed.NotSent notSent -> notRunning(notSent.reason());
      case CallFailed.Lost lost ->
          "The call to the MCP server '%s' failed: %s.%s"
              .formatted(server.name(), lost.reason(), effect(tool));
      case CallFailed.Late _ ->
          "The MCP server '%s' did not answer within %s.%s"
              .formatted(server.name(), McpErrors.text(server.timeout()), effect(tool));
      case CallFailed.Interrupted _ -> "The call was interrupted.";
    };
  }

  private static String effect(McpTool tool) {
    return tool.effect() == ToolEffect.PURE
        ? " The call may be repeated."
        : " Whether it took effect is unknown: verify before repeating it.";
  }
}
