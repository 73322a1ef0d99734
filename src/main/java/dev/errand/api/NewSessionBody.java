package dev.errand.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.permission.Rule;
import dev.errand.session.RequestedLimits;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Body of {@code POST /v1/sessions}. One component per field of the wire format; all are optional.
 */
record NewSessionBody(
    @Nullable String agent,
    @Nullable @Size(max = 500, message = "must have at most 500 characters") String title,
    @Nullable String model,
    @Nullable String workspace,
    @Nullable @Pattern(regexp = "^(hosted|external)$", message = "must be hosted or external")
        String kind,
    @Nullable Origin origin,
    @Nullable @Valid NewCallback callback,
    @Nullable JsonNode metadata,
    @Nullable @Valid RequestedLimits limits,
    @Nullable List<Rule> permissions) {

  /**
   * Where messages are posted to: the results of tasks for an external session, the messages of the
   * agent for a hosted session.
   *
   * @param secret the key of the signatures, {@code whsec_…}; null generates one
   */
  record NewCallback(@NotBlank(message = "is required") String url, @Nullable String secret) {}

  /** The channel and the chat of the session's user. */
  record Origin(@Nullable String channel, @Nullable String chatId) {}
}
