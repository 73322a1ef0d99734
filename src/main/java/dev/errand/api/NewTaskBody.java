package dev.errand.api;

import dev.errand.outbox.Callback.CallbackEvent;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Body of {@code POST /v1/tasks} as documented; most fields are read like those of the tool. */
interface NewTaskBody {

  /** The fields that a model's tool call does not have. */
  record TaskParent(@Nullable String parentSessionId, @Nullable @Valid NewTaskCallback callback) {}

  /**
   * Where events of the task are posted to, in addition to the callback of its session.
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
