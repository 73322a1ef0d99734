package dev.errand.session;

import jakarta.validation.constraints.Min;
import org.jspecify.annotations.Nullable;

/** The {@link Limits} that a new root session asks for; null means the service's own value. */
public record RequestedLimits(
    @Nullable @Min(value = 0, message = RequestedLimits.MESSAGE) Integer maxDepth,
    @Nullable @Min(value = 0, message = RequestedLimits.MESSAGE) Integer maxDelegations,
    @Nullable @Min(value = 0, message = RequestedLimits.MESSAGE) Integer maxDelegationsTotal,
    @Nullable @Min(value = 0, message = RequestedLimits.MESSAGE) Integer maxBackgroundTasks,
    @Nullable @Min(value = 0, message = RequestedLimits.MESSAGE) Long maxTokens) {

  static final String MESSAGE = "must be 0 or more; 0 means none";

  public static final RequestedLimits NONE = new RequestedLimits(null, null, null, null, null);
}
