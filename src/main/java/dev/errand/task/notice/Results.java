package dev.errand.task.notice;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.SessionId;
import dev.errand.event.EventContent;
import dev.errand.session.InboxEntry;
import dev.errand.session.Session;
import dev.errand.session.SessionStore;
import dev.errand.task.Task;
import dev.errand.task.TaskToolResult;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Renders what a parent and its callbacks get about an ended task. It is rendered when it is
 * delivered, so that until then only the task contains the words. A repeated delivery renders it
 * again.
 */
@Singleton
public class Results {

  private final Notices notices;
  private final SessionStore sessions;
  private final ObjectMapper mapper;

  Results(Notices notices, SessionStore sessions, ObjectMapper mapper) {
    this.notices = notices;
    this.sessions = sessions;
    this.mapper = mapper;
  }

  /** Returns the entry for the parent: the answer to its tool call, or a notice. */
  public InboxEntry entry(Task ended) {
    var call = ended.parentCall();
    return call != null && ended.answersCall()
        ? new InboxEntry.ToolAnswer(
            call, AnswerText.of(ended), ended.end().problem() != null, endedAt(ended))
        : new InboxEntry.Notice(notices.of(ended), endedAt(ended), ended.id().value());
  }

  /**
   * Returns the event for the callback of the parent or of the task. Its data is the result object
   * of the task, with the text for the parent's model and the origin that the parent's creator
   * gave:
   *
   * <pre>{@code
   * {"success": true, "title": "…", "output": "…", "metadata": {…}, "notice": "…", "origin": {…}}
   * }</pre>
   */
  public EventContent announcement(Task ended) {
    var data = mapper.<ObjectNode>valueToTree(TaskToolResult.of(ended));
    data.put("notice", notices.of(ended));
    data.set("origin", origin(ended.parent()));
    return new EventContent(type(ended), ended.id().toString(), endedAt(ended), data);
  }

  private @Nullable JsonNode origin(SessionId parent) {
    return sessions.find(parent).map(Session::origin).orElse(null);
  }

  private static Instant endedAt(Task ended) {
    return Objects.requireNonNull(ended.endedAt());
  }

  private static String type(Task ended) {
    var background = ended.background();
    var group = background ? "background_task." : "subagent.";
    return group
        + switch (ended.state()) {
          case COMPLETED -> "completed";
          case CANCELLED -> background ? "cancelled" : "failed";
          case FAILED, TIMED_OUT -> "failed";
          case PENDING, RUNNING -> throw new IllegalStateException("the task has not ended");
        };
  }
}
