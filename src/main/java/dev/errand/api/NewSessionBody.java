package dev.errand.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.permission.Rule;
import dev.errand.session.Limits.RequestedLimits;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /v1/sessions}. One component per field of the wire format; all are
 * optional.
 *
 * @param metadata any JSON of at most 16 KiB, nested at most 20 levels deep
 */
record NewSessionBody(
    @Nullable @Size(max = 100, message = "must have at most 100 characters") String agent,
    @Nullable @Size(max = 500, message = "must have at most 500 characters") String title,
    @Nullable @Size(max = 200, message = "must have at most 200 characters") String model,
    @Nullable @Size(max = 4096, message = "must have at most 4096 characters") String workspace,
    @Nullable @Pattern(regexp = "^(hosted|external)$", message = "must be hosted or external")
        String kind,
    @Nullable @Valid UserOrigin origin,
    @Nullable @Valid NewCallback callback,
    @Nullable JsonNode metadata,
    @Nullable @Valid RequestedLimits limits,
    @Nullable @Size(max = 100, message = "must have at most 100 rules")
        List<@Valid @NotNull(message = "is required") Rule> permissions) {

  /**
   * The address to which messages are posted: the results of tasks for an external session, the
   * messages of the agent for a hosted session.
   *
   * @param secret the key of the signatures, {@code whsec_…}; null generates one
   */
  record NewCallback(
      @NotBlank(message = "is required")
          @Size(max = 2000, message = "must have at most 2000 characters")
          String url,
      @Nullable @Size(max = 200, message = "must have at most 200 characters") String secret) {}

  /** The channel and the chat of the session's user. */
  record UserOrigin(
      @Nullable @Size(max = 200, message = "must have at most 200 characters") String channel,
      @Nullable @Size(max = 200, message = "must have at most 200 characters") String chatId) {}
}
