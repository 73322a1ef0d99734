package dev.errand.session;

import org.jspecify.annotations.Nullable;

/**
 * What a root session and everything below it may use (R8). 0 means none, never unlimited.
 *
 * @param maxDepth how deep below the root, which has depth 0, a session may be
 * @param maxDelegations tasks of the whole tree, ended ones included
 * @param maxBackgroundTasks background tasks that one parent has running at a time
 * @param maxTokens input and output tokens of the whole tree; null means no limit
 */
public record Limits(
    int maxDepth, int maxDelegations, int maxBackgroundTasks, @Nullable Long maxTokens) {}
