package dev.errand.run;

import dev.errand.session.TreeStore;
import dev.errand.task.TaskOutcome;
import java.util.Optional;

/**
 * Ends runs whose tree has used all its tokens. Checked before each model call, so a tree overdraws
 * by at most one call per session that runs at the same time. Input that a provider reads from its
 * cache is counted separately and not limited: with a cache, a conversation sends the same tokens
 * with each call at a fraction of their price.
 */
final class TokenBudget {

  private TokenBudget() {}

  /**
   * Empty while tokens are left, or when there is no limit.
   *
   * @param tree as read at the turn boundary before the model call
   */
  static Optional<LoopEnd.Failed> usedUp(TreeStore.Tree tree) {
    var limit = tree.limits().maxTokens();
    if (limit == null || tree.tokens() < limit) {
      return Optional.empty();
    }
    var message =
        "the token budget is used up: %d of %d tokens for the root session and all below it, and %d from caches, which do not count"
            .formatted(tree.tokens(), limit, tree.cachedTokens());
    return Optional.of(new LoopEnd.Failed(TaskOutcome.Error.BUDGET_EXHAUSTED, message));
  }
}
