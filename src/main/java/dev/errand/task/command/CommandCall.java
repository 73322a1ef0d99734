package dev.errand.task.command;

import dev.errand.conversation.SessionId;
import dev.errand.task.Delegation;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One command and who gives it.
 *
 * @param call the tool call it comes from; null when it comes from outside
 * @param key makes a repetition give the first task; null when the caller gave none
 * @param patience how long it may be waited for the skill agent when that is busy, and by a caller
 *     from outside for the result
 */
public record CommandCall(
    SessionId session,
    String line,
    Delegation.@Nullable Call call,
    Delegation.@Nullable IdempotencyKey key,
    Duration patience) {}
