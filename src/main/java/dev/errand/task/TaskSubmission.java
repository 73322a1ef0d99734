package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.session.NewSession;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One wish to delegate.
 *
 * @param call the tool call it comes from; null when it comes from outside
 * @param key makes a repetition give the first task; null when the caller gave none
 * @param holdNoticeFor how long the caller waits for the result itself; its notice is not due
 *     before
 * @param kind which tool it is
 * @param queuesForChild whether it waits for a child to continue that is busy (D8); otherwise it is
 *     refused (D5)
 */
public record TaskSubmission(
    Parent parent,
    TaskRequest request,
    @Nullable Call call,
    @Nullable IdempotencyKey key,
    Duration holdNoticeFor,
    TaskKind kind,
    boolean queuesForChild) {

  /** A {@code task}. */
  public TaskSubmission(
      Parent parent,
      TaskRequest request,
      @Nullable Call call,
      @Nullable IdempotencyKey key,
      Duration holdNoticeFor) {
    this(parent, request, call, key, holdNoticeFor, TaskKind.TASK, false);
  }

  /** Who delegates. */
  public sealed interface Parent {

    SessionId id();

    record Existing(SessionId id) implements Parent {}

    /** A root session that is created with the task. */
    record NewRoot(NewSession session) implements Parent {

      @Override
      public SessionId id() {
        return session.id();
      }
    }
  }

  /**
   * A tool call of the parent's run.
   *
   * @param epoch the run's; it must still own the parent when the task is committed
   */
  public record Call(String key, long epoch) {}

  /**
   * @param bodySha256 of the request, so that another request under the same key is noticed
   */
  public record IdempotencyKey(String value, String bodySha256) {}
}
