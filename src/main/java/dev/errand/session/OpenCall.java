package dev.errand.session;

import dev.errand.conversation.Content;

/**
 * A tool call of the last assistant message that has no result yet.
 *
 * @param state planned, started or deferred
 * @param repeatable whether the tool allowed a repetition when the call was planned; the tool may
 *     not exist any more
 */
public record OpenCall(
    CallKey key, Content.ToolCall call, ToolCallState state, boolean repeatable) {}
