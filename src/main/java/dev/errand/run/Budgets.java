package dev.errand.run;

import dev.errand.model.Prices;
import dev.errand.session.Session;
import dev.errand.session.TreeStore;
import dev.errand.task.TaskOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;

/**
 * Ends runs whose tree has used all its tokens or all its money. Checked before each model call, so
 * a tree overdraws by at most one call per session that runs at the same time. Input that a
 * provider reads from its cache is counted separately, and only its price is limited: with a cache,
 * a conversation sends the same tokens with each call at a fraction of their price.
 */
@ApplicationScoped
class Budgets {

  private final Prices prices;

  Budgets(Prices prices) {
    this.prices = prices;
  }

  /**
   * Empty while the session may call its model.
   *
   * @param tree as read at the turn boundary before the model call
   */
  Optional<LoopEnd> check(Session session, TreeStore.Tree tree) {
    var limits = tree.limits();
    var maxTokens = limits.maxTokens();
    if (maxTokens != null && tree.tokens() >= maxTokens) {
      return usedUp(
          "the token budget is used up: %d of %d tokens for the root session and all below it, and %d from caches, which do not count"
              .formatted(tree.tokens(), maxTokens, tree.cachedTokens()));
    }
    var maxCost = limits.maxCost();
    if (maxCost == null) {
      return Optional.empty();
    }
    if (tree.cost().compareTo(maxCost) >= 0) {
      return usedUp(
          "the money budget is used up: %s of %s for the root session and all below it"
              .formatted(tree.cost(), maxCost));
    }
    return prices
        .problem(session.model())
        .map(problem -> new LoopEnd.Failed(TaskOutcome.Error.MODEL_UNPRICED, problem));
  }

  private static Optional<LoopEnd> usedUp(String message) {
    return Optional.of(new LoopEnd.Failed(TaskOutcome.Error.BUDGET_EXHAUSTED, message));
  }
}
