package dev.errand.session;

import dev.errand.conversation.Cost;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
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
 * @param maxCost what the model calls of the whole tree may cost; null means no limit
 */
public record Limits(
    int maxDepth,
    int maxDelegations,
    @Nullable Integer maxDelegationsTotal,
    int maxBackgroundTasks,
    @Nullable Long maxTokens,
    @Nullable Cost maxCost) {

  /** These limits, none of them above its cap. */
  public Limits within(LimitConfig.Cap cap) {
    return new Limits(
        Math.min(maxDepth, cap.maxDepth().orElse(maxDepth)),
        Math.min(maxDelegations, cap.maxDelegations().orElse(maxDelegations)),
        narrowed(maxDelegationsTotal, cap.maxDelegationsTotal()),
        Math.min(maxBackgroundTasks, cap.maxBackgroundTasks().orElse(maxBackgroundTasks)),
        narrowed(maxTokens, cap.maxTokens()),
        narrowed(maxCost, cap.maxCost()));
  }

  private static @Nullable Integer narrowed(@Nullable Integer limit, OptionalInt cap) {
    return cap.isEmpty() || (limit != null && limit <= cap.getAsInt())
        ? limit
        : (Integer) cap.getAsInt();
  }

  private static @Nullable Long narrowed(@Nullable Long limit, OptionalLong cap) {
    return cap.isEmpty() || (limit != null && limit <= cap.getAsLong())
        ? limit
        : (Long) cap.getAsLong();
  }

  private static @Nullable Cost narrowed(@Nullable Cost limit, Optional<BigDecimal> cap) {
    var highest = cap.map(Cost::of);
    return limit != null && highest.filter(known -> known.compareTo(limit) < 0).isEmpty()
        ? limit
        : highest.orElse(null);
  }
}
