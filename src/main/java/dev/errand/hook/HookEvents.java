package dev.errand.hook;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
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
  private final HookQueue queue;
  private final SessionStore sessions;
  private final ObjectMapper mapper;
  private final Json json;
  private final Hints hints;

  HookEvents(
      Hooks hooks,
      HookQueue queue,
      SessionStore sessions,
      ObjectMapper mapper,
      Json json,
      Hints hints) {
    this.hooks = hooks;
    this.queue = queue;
    this.sessions = sessions;
    this.mapper = mapper;
    this.json = json;
    this.hints = hints;
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
          event,
          subject.task().value(),
          new HookPayload.Stored(
              subject.session(), subject.task(), subject.agent(), mapper.valueToTree(data), null));
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
   * The run of a root session failed for good.
   *
   * @param error as its event shows it
   */
  @Transactional(TxType.MANDATORY)
  public void sessionFailed(SessionId session, Object error) {
    var interested = hooks.of(HookEvent.SESSION_FAILED);
    if (!interested.isEmpty()) {
      write(
          interested,
          HookEvent.SESSION_FAILED,
          session.value(),
          new HookPayload.Stored(session, null, agentOf(session), null, mapper.valueToTree(error)));
    }
  }

  private String agentOf(SessionId session) {
    return sessions.find(session).map(Session::agent).orElse("");
  }

  private void write(
      List<Hook> interested, HookEvent event, UUID subject, HookPayload.Stored body) {
    queue.write(interested.stream().map(Hook::name).toList(), event, subject, json.write(body));
    hints.afterCommit(Topic.HOOKS);
  }
}
