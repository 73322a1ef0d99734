package dev.errand.delegate.command;

import dev.errand.conversation.SessionId;
import dev.errand.task.IdempotencyKey;
import dev.errand.task.TaskSubmission;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One command and its caller.
 *
 * @param call the tool call that it comes from; null when a client sends it
 * @param key makes a repetition return the first task; null when the caller gave none
 * @param waitsFor how long a client waits for the result
 */
public record CommandCall(
    SessionId session,
    String line,
    TaskSubmission.@Nullable Call call,
    @Nullable IdempotencyKey key,
    Duration waitsFor) {}
