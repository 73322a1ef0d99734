package dev.errand.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.conversation.SessionId;
import dev.errand.event.CloudEvent;
import dev.errand.outbox.CallbackEvent;
import dev.errand.outbox.CallbackStore;
import dev.errand.outbox.NewDelivery;
import dev.errand.outbox.TaskWebhooks;
import dev.errand.postgres.Json;
import dev.errand.session.SessionKind;
import dev.errand.session.SessionStore;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The webhooks that ended tasks send to their parents' callbacks and to their own. */
@ApplicationScoped
class ResultWebhooks {

  private final CallbackStore callbacks;
  private final SessionStore sessions;
  private final TaskStore tasks;
  private final TaskWebhooks own;
  private final ObjectMapper mapper;
  private final Json json;

  ResultWebhooks(
      CallbackStore callbacks,
      SessionStore sessions,
      TaskStore tasks,
      TaskWebhooks own,
      ObjectMapper mapper,
      Json json) {
    this.callbacks = callbacks;
    this.sessions = sessions;
    this.tasks = tasks;
    this.own = own;
    this.mapper = mapper;
    this.json = json;
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

  /**
   * Posts the end to the task's own callback, and returns what is posted to that of the parent:
   * empty when the parent has none, or is hosted here; then its agent reads the result, and the
   * agent's message is posted. Called in the transaction that ends the task.
   */
  Optional<NewDelivery.Post> send(EndedTask ended, String notice) {
    var task = ended.task();
    if (task.callbackEvents().contains(CallbackEvent.ENDED)) {
      own.send(task.id(), task.parent(), announcement(ended, notice));
    }
    return callbacks
        .lane(task.parent().value())
        .filter(_ -> isElsewhere(task.parent()))
        .map(lane -> new NewDelivery.Post(lane, json.write(announcement(ended, notice))));
  }

  private boolean isElsewhere(SessionId parent) {
    return sessions
        .find(parent)
        .filter(session -> session.kind() == SessionKind.EXTERNAL)
        .isPresent();
  }

  private CloudEvent.What announcement(EndedTask ended, String notice) {
    var task = tasks.find(ended.task().id()).orElseThrow();
    var result = TaskToolResult.of(task);
    var parent = sessions.find(task.parent()).orElseThrow();
    var data =
        new Data(
            result.success(),
            result.title(),
            result.output(),
            result.metadata(),
            notice,
            parent.origin());
    return new CloudEvent.What(
        type(task), task.id().toString(), ended.endedAt(), mapper.valueToTree(data));
  }

  private static String type(Task task) {
    var background = task.background();
    var group = background ? "background_task." : "subagent.";
    return group
        + switch (task.state()) {
          case COMPLETED -> "completed";
          case CANCELLED -> background ? "cancelled" : "failed";
          case FAILED, TIMED_OUT -> "failed";
          case PENDING, RUNNING -> throw new IllegalStateException("the task has not ended");
        };
  }
}
