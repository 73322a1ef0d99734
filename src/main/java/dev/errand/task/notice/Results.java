package dev.errand.task.notice;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.conversation.SessionId;
import dev.errand.event.CloudEvent;
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

  /**
   * The {@code data} of a webhook: the task's result object, the text for the parent's model, and
   * the origin that the parent's creator gave.
   */
  record Data(
      boolean success,
      String title,
      String output,
      TaskToolResult.Metadata metadata,
      String notice,
      @Nullable JsonNode origin) {}

  /** Returns the entry for the parent: the answer to its tool call, or a notice. */
  public InboxEntry entry(Task ended) {
    var call = ended.parentCall();
    return call != null && ended.answersCall()
        ? new InboxEntry.ToolAnswer(
            call, AnswerText.of(ended), ended.end().problem() != null, endedAt(ended))
        : new InboxEntry.Notice(notices.of(ended), endedAt(ended), ended.id().value());
  }

  /** Returns the event for the callback of the parent or of the task. */
  public CloudEvent.What announcement(Task ended) {
    var result = TaskToolResult.of(ended);
    var data =
        new Data(
            result.success(),
            result.title(),
            result.output(),
            result.metadata(),
            notices.of(ended),
            origin(ended.parent()));
    return new CloudEvent.What(
        type(ended), ended.id().toString(), endedAt(ended), mapper.valueToTree(data));
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
