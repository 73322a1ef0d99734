package dev.errand.hook;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.outbox.DeliveryKind;
import dev.errand.outbox.OutgoingRows;
import dev.errand.outbox.OutgoingRows.NewRow;
import dev.errand.postgres.Json;
import dev.errand.session.Session;
import dev.errand.session.SessionStore;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.List;
import java.util.UUID;

/**
 * Records events of tasks and sessions for hooks, in the transaction of the event. Without a hook
 * for the event nothing is read and nothing is written.
 */
@Singleton
public class HookEvents {

  private final Hooks hooks;
  private final OutgoingRows rows;
  private final SessionStore sessions;
  private final ObjectMapper mapper;
  private final Json json;

  HookEvents(
      Hooks hooks, OutgoingRows rows, SessionStore sessions, ObjectMapper mapper, Json json) {
    this.hooks = hooks;
    this.rows = rows;
    this.sessions = sessions;
    this.mapper = mapper;
    this.json = json;
  }

  /**
   * A task.
   *
   * @param session the child
   * @param agent the child's agent
   */
  public record Subject(TaskId task, SessionId session, SessionId parent, String agent) {}

  /**
   * @param data the task, as its events show it
   */
  @Transactional(TxType.MANDATORY)
  public void ofTask(HookEvent event, Subject subject, Object data) {
    var interested =
        hooks.of(event).stream()
            .filter(hook -> !hook.isOfAgentFile() || concerns(hook, subject))
            .toList();
    if (!interested.isEmpty()) {
      write(
          interested,
          subject.task().value(),
          new HookPayload.StoredHookEvent(
              event.word(),
              subject.session(),
              subject.task(),
              subject.agent(),
              mapper.valueToTree(data),
              null));
    }
  }

  /**
   * A hook of an agent's file hears of the tasks that the agent does, and of those it delegates.
   */
  private boolean concerns(Hook hook, Subject subject) {
    return hook.isAbout(List.of(subject.agent()))
        && (subject.agent().equals(hook.agent()) || agentOf(subject.parent()).equals(hook.agent()));
  }

  /**
   * Reports that the run of a root session failed for good.
   *
   * @param error as its event shows it
   */
  @Transactional(TxType.MANDATORY)
  public void sessionFailed(SessionId session, Object error) {
    var interested = hooks.of(HookEvent.SESSION_FAILED);
    if (!interested.isEmpty()) {
      write(
          interested,
          session.value(),
          new HookPayload.StoredHookEvent(
              HookEvent.SESSION_FAILED.word(),
              session,
              null,
              agentOf(session),
              null,
              mapper.valueToTree(error)));
    }
  }

  private String agentOf(SessionId session) {
    return sessions.find(session).map(Session::agent).orElse("");
  }

  /** Writes events. A hook gets the events of one task or session one after the other. */
  private void write(List<Hook> interested, UUID subject, HookPayload.StoredHookEvent body) {
    for (var hook : interested) {
      rows.write(
          new NewRow(
              DeliveryKind.HOOK,
              body.sessionId(),
              null,
              null,
              hook.name() + " " + subject,
              hook.name(),
              json.write(body)));
    }
  }
}
