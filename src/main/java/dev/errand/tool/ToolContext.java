package dev.errand.tool;

import dev.errand.conversation.SessionId;
import java.nio.file.Path;

/**
 * Who calls a tool, and where.
 *
 * @param toolCallId the model's id of the call
 * @param workspace an existing folder; file tools see nothing outside it
 */
public record ToolContext(SessionId session, String toolCallId, Path workspace) {}
