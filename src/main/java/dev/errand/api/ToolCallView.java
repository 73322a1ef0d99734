package dev.errand.api;

import dev.errand.session.ClientCalls;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A tool call of an agent whose loop runs elsewhere.
 *
 * @param content what the model reads; null while the call runs
 */
record ToolCallView(
    String callId,
    String name,
    @Schema(enumeration = {"running", "done", "unknown", "denied"}) String state,
    @Nullable String content,
    @Nullable Boolean isError) {

  static ToolCallView of(ClientCalls.Known call) {
    var result = call.result();
    return new ToolCallView(
        call.callId(),
        call.name(),
        result == null ? "running" : call.state().word(),
        result == null ? null : result.text(),
        result == null ? null : result.isError());
  }
}
