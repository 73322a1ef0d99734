package dev.errand.task;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import dev.errand.agent.Isolation;
import dev.errand.permission.Rule;
import dev.errand.secret.Secrets;
import dev.errand.task.Task.Cleanup;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of the tool {@code task}, after the check against their schema. One component per
 * field of the wire format.
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
    @NotBlank @Size(max = TaskRequest.MAX_DESCRIPTION) String description,
    @NotBlank @Size(max = TaskRequest.MAX_PROMPT_BYTES) String prompt,
    @Nullable @Size(max = TaskRequest.MAX_NAME) String subagentType,
    @Nullable Boolean background,
    @Nullable @Size(max = TaskRequest.MAX_NAME) String sessionId,
    @Nullable @Size(max = TaskRequest.MAX_DESCRIPTION) String command,
    @Nullable @Min(1) @Max(86_400_000) Long timeoutMs,
    @Nullable Cleanup cleanup,
    @Nullable @Size(max = TaskRequest.MAX_MODEL) String model,
    @Nullable @Min(1) @Max(1000) Integer maxTurns,
    @Nullable @Size(max = TaskRequest.MAX_NAME) String label,
    @Nullable @Min(-100) @Max(100) Integer priority,
    @Nullable Isolation isolation,
    @Nullable Thoroughness thoroughness,
    @Nullable @Size(max = TaskRequest.MAX_RULES, message = "must have at most 100 rules")
        List<@Valid @NotNull(message = "is required") Rule> permissions) {

  public static final int MAX_DESCRIPTION = 500;
  public static final int MAX_NAME = 100;
  public static final int MAX_MODEL = 200;
  public static final int MAX_RULES = 100;

  /** In UTF-8; a schema can only limit characters. */
  public static final int MAX_PROMPT_BYTES = 256 * 1024;

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
