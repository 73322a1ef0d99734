package dev.errand.session;

import org.jspecify.annotations.Nullable;

/** The {@link Limits} that a new root session asks for; null takes the service's own value. */
public record LimitWishes(
    @Nullable Integer maxDepth,
    @Nullable Integer maxDelegations,
    @Nullable Integer maxBackgroundTasks,
    @Nullable Long maxTokens) {

  public static final LimitWishes NONE = new LimitWishes(null, null, null, null);
}
