package dev.errand.session;

import dev.errand.conversation.Cost;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Digits;
import jakarta.validation.constraints.Min;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
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

  /** Returns these limits, none of them above its cap. */
  public Limits within(LimitConfig.LimitCap cap) {
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

  /** The {@link Limits} that a new root session asks for; null means the service's own value. */
  public record RequestedLimits(
      @Nullable @Min(value = 0, message = RequestedLimits.MESSAGE) Integer maxDepth,
      @Nullable @Min(value = 0, message = RequestedLimits.MESSAGE) Integer maxDelegations,
      @Nullable @Min(value = 0, message = RequestedLimits.MESSAGE) Integer maxDelegationsTotal,
      @Nullable @Min(value = 0, message = RequestedLimits.MESSAGE) Integer maxBackgroundTasks,
      @Nullable @Min(value = 0, message = RequestedLimits.MESSAGE) Long maxTokens,
      @Nullable
          @DecimalMin(value = "0", message = RequestedLimits.MESSAGE)
          @Digits(
              integer = 9,
              fraction = 6,
              message = "must have at most 9 digits before the point and 6 after it")
          BigDecimal maxCost) {

    static final String MESSAGE = "must be 0 or more; 0 means none";

    public static final RequestedLimits NONE =
        new RequestedLimits(null, null, null, null, null, null);

    /** Returns the caps that these limits exceed, by the names of the limits in JSON. */
    public Map<String, Number> exceeded(LimitConfig.LimitCap cap) {
      var exceeded = new TreeMap<String, Number>();
      check("max_depth", maxDepth, cap.maxDepth(), exceeded);
      check("max_delegations", maxDelegations, cap.maxDelegations(), exceeded);
      check("max_delegations_total", maxDelegationsTotal, cap.maxDelegationsTotal(), exceeded);
      check("max_background_tasks", maxBackgroundTasks, cap.maxBackgroundTasks(), exceeded);
      if (maxTokens != null
          && cap.maxTokens().isPresent()
          && maxTokens > cap.maxTokens().getAsLong()) {
        exceeded.put("max_tokens", cap.maxTokens().getAsLong());
      }
      cap.maxCost()
          .filter(highest -> maxCost != null && maxCost.compareTo(highest) > 0)
          .ifPresent(highest -> exceeded.put("max_cost", highest));
      return exceeded;
    }

    private static void check(
        String name, @Nullable Integer asked, OptionalInt cap, Map<String, Number> exceeded) {
      if (asked != null && cap.isPresent() && asked > cap.getAsInt()) {
        exceeded.put(name, cap.getAsInt());
      }
    }

    /** Returns whether a new tree has a limit in money. */
    public boolean limitMoney(LimitConfig config) {
      return or(config).within(config.cap()).maxCost() != null;
    }

    /** Returns the limits of a new tree: what is not asked for is the service's own value. */
    Limits or(LimitConfig config) {
      return new Limits(
          Objects.requireNonNullElse(maxDepth, config.maxDepth()),
          Objects.requireNonNullElse(maxDelegations, config.maxDelegations()),
          maxDelegationsTotal != null || config.maxDelegationsTotal().isEmpty()
              ? maxDelegationsTotal
              : (Integer) config.maxDelegationsTotal().getAsInt(),
          Objects.requireNonNullElse(maxBackgroundTasks, config.maxBackgroundTasks()),
          maxTokens != null || config.maxTokens().isEmpty()
              ? maxTokens
              : (Long) config.maxTokens().getAsLong(),
          Optional.ofNullable(maxCost).or(config::maxCost).map(Cost::of).orElse(null));
    }
  }
}
