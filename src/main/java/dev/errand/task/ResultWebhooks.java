package dev.errand.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.event.CloudEvent;
import dev.errand.outbox.Callback.CallbackEvent;
import dev.errand.outbox.CallbackStore;
import dev.errand.outbox.Delivery.NewDelivery;
import dev.errand.outbox.TaskWebhooks;
import dev.errand.postgres.Json;
import dev.errand.task.Task.EndedTask;
import jakarta.inject.Singleton;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The webhooks that ended tasks send to their parents' callbacks and to their own. */
@Singleton
class ResultWebhooks {

  private final TaskWebhooks own;
  private final ObjectMapper mapper;
  private final Json json;

  ResultWebhooks(TaskWebhooks own, ObjectMapper mapper, Json json) {
    this.own = own;
    this.mapper = mapper;
    this.json = json;
  }

  /**
   * The parent of a task.
   *
   * @param callback the URL of its callback; null when it has none, when the receiver has disabled
   *     it, and when the parent is hosted here: then its agent reads the result, and the agent's
   *     message is posted
   * @param origin where its conversation takes place, as its creator gave it
   */
  record Receiver(@Nullable String callback, @Nullable JsonNode origin) {}

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
   * Posts the end to the task's own callback, and returns what is posted to that of the parent;
   * empty when it has none. Called in the transaction that ends the task.
   */
  Optional<NewDelivery.Post> send(EndedTask ended, String notice, Receiver parent) {
    var task = ended.task();
    if (task.callbackEvents().contains(CallbackEvent.ENDED)) {
      own.send(task.id(), task.parent(), announcement(ended, notice, parent));
    }
    return Optional.ofNullable(parent.callback())
        .map(url ->
            new NewDelivery.Post(
                CallbackStore.lane(url), json.write(announcement(ended, notice, parent))));
  }

  private CloudEvent.What announcement(EndedTask ended, String notice, Receiver parent) {
    var task = ended.task();
    var result = TaskToolResult.of(task);
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
