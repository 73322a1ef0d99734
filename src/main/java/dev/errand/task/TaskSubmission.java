package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.outbox.Callback.TaskCallback;
import dev.errand.session.NewSession;
import dev.errand.task.Task.TaskKind;
import dev.errand.worktree.Worktrees;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One request to delegate.
 *
 * @param call the tool call that it comes from; null when a client submits it
 * @param key makes a repetition return the first task; null when the caller gave none
 * @param holdNoticeFor how long the caller waits for the result itself; the notice is not due
 *     before
 * @param kind the tool
 * @param queuesForChild whether the task is queued when the child to continue is busy; otherwise it
 *     is refused
 * @param callback the callback of the task itself, in addition to that of its parent
 * @param notes what the caller should know about the request, kept with the task
 * @param copy that a new child works in; null when it shares the workspace of its parent
 */
public record TaskSubmission(
    Parent parent,
    TaskRequest request,
    @Nullable Call call,
    @Nullable IdempotencyKey key,
    Duration holdNoticeFor,
    TaskKind kind,
    boolean queuesForChild,
    @Nullable TaskCallback callback,
    List<String> notes,
    Worktrees.@Nullable Prepared copy) {

  /** Without a callback of its own. */
  public TaskSubmission(
      Parent parent,
      TaskRequest request,
      @Nullable Call call,
      @Nullable IdempotencyKey key,
      Duration holdNoticeFor,
      TaskKind kind,
      boolean queuesForChild) {
    this(parent, request, call, key, holdNoticeFor, kind, queuesForChild, null, List.of(), null);
  }

  /** A {@code task}. */
  public TaskSubmission(
      Parent parent,
      TaskRequest request,
      @Nullable Call call,
      @Nullable IdempotencyKey key,
      Duration holdNoticeFor) {
    this(parent, request, call, key, holdNoticeFor, TaskKind.TASK, false);
  }

  public TaskSubmission withCallback(@Nullable TaskCallback own) {
    return new TaskSubmission(
        parent, request, call, key, holdNoticeFor, kind, queuesForChild, own, notes, copy);
  }

  public TaskSubmission withNotes(List<String> own) {
    return new TaskSubmission(
        parent, request, call, key, holdNoticeFor, kind, queuesForChild, callback, own, copy);
  }

  /** The same for a new child that works in a copy; what the copy lacks becomes a note. */
  TaskSubmission withCopy(Worktrees.Prepared prepared) {
    return new TaskSubmission(
        parent,
        request,
        call,
        key,
        holdNoticeFor,
        kind,
        queuesForChild,
        callback,
        Stream.concat(notes.stream(), prepared.notes().stream()).toList(),
        prepared);
  }

  /** The session that delegates. */
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
   * @param epoch of the run, which must still own the parent when the task is committed
   */
  public record Call(String key, long epoch) {}
}
