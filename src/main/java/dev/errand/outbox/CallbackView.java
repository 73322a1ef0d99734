package dev.errand.outbox;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * A callback as clients see it.
 *
 * @param secret shown once, in the answer to the registration; later null
 * @param state {@code active}, or {@code disabled} after the receiver answered 410; null together
 *     with the secret
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record CallbackView(String url, @Nullable String secret, @Nullable String state) {}
