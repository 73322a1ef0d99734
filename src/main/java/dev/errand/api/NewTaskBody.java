package dev.errand.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.outbox.CallbackEvent;
import dev.errand.task.TaskSchema;
import dev.errand.tool.ArgumentCheck;
import dev.errand.tool.FieldProblem;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /v1/tasks}: the fields of the tool {@code task}, and those of clients.
 */
final class NewTaskBody {

  static final String CALLBACK = "callback";

  private static final ArgumentCheck CHECK = new ArgumentCheck(withFieldsOfClients());

  private NewTaskBody() {}

  private static ObjectNode withFieldsOfClients() {
    var schema = TaskSchema.schema();
    List.of(SubmissionProblem.PARENT, CALLBACK)
        .forEach(schema.withObject("/properties")::putObject);
    return schema;
  }

  /**
   * Returns the problems of the fields that a tool call has, too. A message that lists the known
   * fields names those of clients as well.
   */
  static List<FieldProblem> problems(ObjectNode fields) {
    return CHECK.problems(fields);
  }

  /** The fields that a model's tool call does not have. */
  record TaskParent(@Nullable String parentSessionId, @Nullable @Valid NewTaskCallback callback) {}

  /**
   * The address to which events of the task are posted, in addition to the callback of its session.
   *
   * @param secret the key of the signatures, {@code whsec_…}; null generates one
   */
  record NewTaskCallback(
      @NotBlank(message = "is required")
          @Size(max = 2000, message = "must have at most 2000 characters")
          String url,
      @Nullable @Size(max = 200, message = "must have at most 200 characters") String secret,
      @Nullable @Size(min = 1, max = 3, message = "must have 1 to 3 entries")
          List<@NotNull(message = "is required") CallbackEvent> events) {}
}
