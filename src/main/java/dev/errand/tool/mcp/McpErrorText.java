package dev.errand.tool.mcp;

import dev.errand.conversation.ToolEffect;

/** What a model is told of a server that did not do what it was asked. */
record McpErrorText(ServerDefinition server) {

  String notRunning(String reason) {
    return "The MCP server '%s' is not running: %s. It is being started again; the call was not made."
        .formatted(server.name(), reason);
  }

  /** Why a call has no result, and what that means for calling again. */
  String of(CallFailed.Cause cause, McpTool tool) {
    return switch (cause) {
      case CallFailed.Refused refused ->
          "The MCP server '%s' refused the call: %s".formatted(server.name(), refused.message());
      case CallFailed.Lost lost ->
          "The call of the MCP server '%s' broke off: %s.%s"
              .formatted(server.name(), lost.reason(), outcome(tool));
      case CallFailed.Late _ ->
          "The MCP server '%s' did not answer within %s.%s"
              .formatted(server.name(), McpErrors.inWords(server.timeout()), outcome(tool));
      case CallFailed.Interrupted _ -> "The call was interrupted.";
    };
  }

  private static String outcome(McpTool tool) {
    return tool.effect() == ToolEffect.PURE
        ? " The call may be repeated."
        : " Whether it took effect is unknown: verify before repeating it.";
  }
}
