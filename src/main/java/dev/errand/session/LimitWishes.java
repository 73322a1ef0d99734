package dev.errand.session;

import jakarta.validation.constraints.Min;
import org.jspecify.annotations.Nullable;

/** The {@link Limits} that a new root session asks for; null takes the service's own value. */
public record LimitWishes(
    @Nullable @Min(value = 0, message = LimitWishes.MESSAGE) Integer maxDepth,
    @Nullable @Min(value = 0, message = LimitWishes.MESSAGE) Integer maxDelegations,
    @Nullable @Min(value = 0, message = LimitWishes.MESSAGE) Integer maxBackgroundTasks,
    @Nullable @Min(value = 0, message = LimitWishes.MESSAGE) Long maxTokens) {

  static final String MESSAGE = "must be 0 or more; 0 means none";

  public static final LimitWishes NONE = new LimitWishes(null, null, null, null);
}
