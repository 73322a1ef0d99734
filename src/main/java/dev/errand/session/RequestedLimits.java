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
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

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
  public Map<String, Number> exceeded(LimitConfig.Cap cap) {
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

  /** Whether a new tree has a limit in money. */
  public boolean limitMoney(LimitConfig config) {
    return or(config).within(config.cap()).maxCost() != null;
  }

  /** The limits of a new tree: what is not asked for is the service's own value. */
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
