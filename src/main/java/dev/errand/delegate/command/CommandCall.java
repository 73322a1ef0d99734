package dev.errand.delegate.command;

import dev.errand.conversation.SessionId;
import dev.errand.task.TaskSubmission;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One command and who gives it.
 *
 * @param call the tool call it comes from; null when it comes from outside
 * @param key makes a repetition give the first task; null when the caller gave none
 * @param waitsFor how long a caller from outside waits for the result
 */
public record CommandCall(
    SessionId session,
    String line,
    TaskSubmission.@Nullable Call call,
    TaskSubmission.@Nullable IdempotencyKey key,
    Duration waitsFor) {}
