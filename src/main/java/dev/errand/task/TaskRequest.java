package dev.errand.task;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import dev.errand.agent.Isolation;
import dev.errand.permission.Rule;
import dev.errand.secret.Secrets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request for a task, after the check by {@link TaskSchema}. One component per field of the
 * schema.
 *
 * @param subagentType null means {@code general}, or the agent of the continued session
 * @param sessionId the child to continue, in its external form
 * @param timeoutMs milliseconds from the first start
 * @param isolation null means that of the agent's definition
 * @param thoroughness only for the agent {@code explore}
 * @param permissions what the child may do at most, in addition to the limits that it has anyway;
 *     null and an empty list mean no further limits
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
public record TaskRequest(
    String description,
    String prompt,
    @Nullable String subagentType,
    @Nullable Boolean background,
    @Nullable String sessionId,
    @Nullable String command,
    @Nullable Long timeoutMs,
    @Nullable CleanupPolicy cleanup,
    @Nullable String model,
    @Nullable Integer maxTurns,
    @Nullable String label,
    @Nullable Integer priority,
    @Nullable Isolation isolation,
    @Nullable Thoroughness thoroughness,
    @Nullable List<Rule> permissions) {

  /** Masks secrets, because the words of a task are stored and shown. */
  public TaskRequest {
    description = Secrets.masked(description);
    prompt = Secrets.masked(prompt);
    label = label == null ? null : Secrets.masked(label);
    command = command == null ? null : Secrets.masked(command);
  }

  public boolean inBackground() {
    return Boolean.TRUE.equals(background);
  }
}
