package dev.errand.session;

import org.jspecify.annotations.Nullable;

/**
 * The limits of a root session and everything below it. 0 means none, never unlimited.
 *
 * @param maxDepth the maximum depth of a session below the root, which has depth 0
 * @param maxDelegations tasks of the whole tree since the last message, command or call of a client
 *     to the root, including ended ones
 * @param maxDelegationsTotal tasks of the whole tree in its whole life; null means no limit
 * @param maxBackgroundTasks background tasks that one parent may have running at a time
 * @param maxTokens input and output tokens of the whole tree, without input from the caches of
 *     providers; null means no limit
 */
public record Limits(
    int maxDepth,
    int maxDelegations,
    @Nullable Integer maxDelegationsTotal,
    int maxBackgroundTasks,
    @Nullable Long maxTokens) {}
