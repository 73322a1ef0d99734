package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.session.NewSession;
import dev.errand.session.Session;
import dev.errand.session.SessionKind;
import java.time.Duration;
import java.util.List;

/**
 * A request to delegate, and who makes it.
 *
 * @param kind the tool
 * @param queuesForChild whether the task is queued when the child to continue is busy; otherwise it
 *     is refused
 * @param notes what the caller should know about the request, kept with the task
 */
public record TaskSubmission(
    Parent parent,
    TaskCaller caller,
    TaskRequest request,
    TaskKind kind,
    boolean queuesForChild,
    List<String> notes) {

  /** By the tool {@code task}, or by a client. */
  public TaskSubmission(Parent parent, TaskCaller caller, TaskRequest request) {
    this(parent, caller, request, TaskKind.TASK, false, List.of());
  }

  /** By the tool {@code task}, or by a client, in a session that exists. */
  public TaskSubmission(SessionId parent, TaskCaller caller, TaskRequest request) {
    this(new Parent.Existing(parent), caller, request);
  }

  /**
   * Returns the time for which the caller waits for the result itself. The notice is not due
   * before.
   */
  public Duration waitsFor() {
    return caller instanceof TaskCaller.Client client && !request.inBackground()
        ? client.waitsFor()
        : Duration.ZERO;
  }

  /** Returns whether a client delegates, by a request or by a tool call of its external session. */
  boolean isByClient(Session delegating) {
    return caller instanceof TaskCaller.Client || delegating.kind() == SessionKind.EXTERNAL;
  }

  /** Returns the generation of the task: that of the turn that delegates, 0 when a client does. */
  int generation(Session delegating) {
    return isByClient(delegating) ? 0 : delegating.generation();
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
}
