package dev.errand.delegate.command;

import dev.errand.conversation.SessionId;
import dev.errand.task.IdempotencyKey;
import dev.errand.task.TaskSubmission;
import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One command and its caller.
 *
 * @param call the tool call that it comes from; null when a client sends it
 * @param key makes a repetition return the first task; null when the caller gave none
 * @param waitsFor how long a client waits for the result
 * @param mayQuote the sessions whose conversations a client may have quoted; a model may only name
 *     those of its own tree, which is decided elsewhere
 */
public record CommandCall(
    SessionId session,
    String line,
    TaskSubmission.@Nullable Call call,
    @Nullable IdempotencyKey key,
    Duration waitsFor,
    Predicate<SessionId> mayQuote) {

  /** A command of a model. */
  static CommandCall of(SessionId session, String line, TaskSubmission.Call call) {
    return new CommandCall(session, line, call, null, Duration.ZERO, _ -> true);
  }
}
