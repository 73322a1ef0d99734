package dev.errand.run;

import dev.errand.model.Prices;
import dev.errand.session.DayQuotas;
import dev.errand.session.Session;
import dev.errand.session.Suspension;
import dev.errand.session.TreeStore;
import dev.errand.session.TurnBoundary;
import jakarta.inject.Singleton;
import java.util.Optional;

/**
 * Ends runs whose tree has used all its tokens or all its money, and puts off runs whose tenant has
 * used up its day. Checked before each model call, so both overdraw by at most one call per session
 * that runs at the same time. Input that a provider reads from its cache is counted separately, and
 * only its price is limited: with a cache, a conversation sends the same tokens with each call at a
 * fraction of their price.
 */
@Singleton
class Budgets {

  private final Prices prices;
  private final DayQuotas quotas;

  Budgets(Prices prices, DayQuotas quotas) {
    this.prices = prices;
    this.quotas = quotas;
  }

  /** Returns whether what the session's tenant has used today has to be read at a turn boundary. */
  boolean ofDay(Session session) {
    return quotas.apply(session.tenant());
  }

  /**
   * Returns the end of a run that has used up a budget; empty while the session may call its model.
   *
   * @param settled the turn boundary before the model call
   */
  Optional<LoopEnd> check(Session session, TurnBoundary.SettledTurn settled, Run run) {
    var limited = settled.tree().limits().maxCost() != null || quotas.limitMoney(session.tenant());
    run.limitsMoney(limited);
    return ofTree(settled.tree())
        .or(() -> limited ? unpriced(session) : Optional.empty())
        .or(() ->
            quotas
                .exceeded(session.tenant(), settled.usedToday())
                .map(quota -> new LoopEnd.Suspended(new Suspension.ByQuota(quota))));
  }

  private static Optional<LoopEnd> ofTree(TreeStore.Tree tree) {
    var maxTokens = tree.limits().maxTokens();
    if (maxTokens != null && tree.tokens() >= maxTokens) {
      return usedUp(
          "the token budget is used up: %d of %d tokens for the root session and all below it, and %d from caches, which do not count"
              .formatted(tree.tokens(), maxTokens, tree.cachedTokens()));
    }
    var maxCost = tree.limits().maxCost();
    return maxCost != null && tree.cost().compareTo(maxCost) >= 0
        ? usedUp(
            "the money budget is used up: %s of %s for the root session and all below it"
                .formatted(tree.cost(), maxCost))
        : Optional.empty();
  }

  private static Optional<LoopEnd> usedUp(String message) {
    return Optional.of(new LoopEnd.Failed(FailureCode.BUDGET_EXHAUSTED, message));
  }

  private Optional<LoopEnd> unpriced(Session session) {
    return prices
        .problem(session.model())
        .map(problem -> new LoopEnd.Failed(FailureCode.MODEL_UNPRICED, problem));
  }
}
