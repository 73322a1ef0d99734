package dev.errand.hook;

import dev.errand.conversation.Content;
import dev.errand.conversation.TaskId;
import dev.errand.permission.Permissions;
import dev.errand.tool.ToolContext;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A tool call that hooks may hear of.
 *
 * @param has whether the caller has the tool with this name
 * @param task the task that the caller works on
 */
public record HookedCall(
    Content.ToolCall call,
    ToolContext context,
    Permissions permissions,
    Predicate<String> has,
    @Nullable TaskId task) {}
