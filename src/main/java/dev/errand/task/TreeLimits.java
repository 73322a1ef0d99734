package dev.errand.task;

import dev.errand.model.Prices;
import dev.errand.session.DayQuotas;
import dev.errand.session.LimitConfig;
import dev.errand.session.LimitConfig.BackgroundPolicy;
import dev.errand.session.TreeStore;
import dev.errand.task.SubmitResult.UsedUpQuota;
import dev.errand.task.TaskInserts.Insertion;
import dev.errand.tenant.HourlyDelegations;
import dev.errand.tenant.Tenants;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Duration;
import java.util.Optional;

/**
 * Checks a delegation against its tree's limits, in its transaction and as late as possible
 * (architecture, rule 15): the tree's row is locked from the count to the commit, so that
 * submissions in one tree count each other. A refusal rolls back what was counted.
 */
@Singleton
class TreeLimits {

  /** After this time there may be room again. */
  private static final Duration SOON = Duration.ofSeconds(5);

  private final TreeStore trees;
  private final Siblings siblings;
  private final LimitConfig config;
  private final Prices prices;
  private final Tenants tenants;
  private final HourlyDelegations hourly;
  private final DayQuotas quotas;

  TreeLimits(
      TreeStore trees,
      Siblings siblings,
      LimitConfig config,
      Prices prices,
      Tenants tenants,
      HourlyDelegations hourly,
      DayQuotas quotas) {
    this.tenants = tenants;
    this.hourly = hourly;
    this.trees = trees;
    this.siblings = siblings;
    this.config = config;
    this.prices = prices;
    this.quotas = quotas;
  }

  /** The decision about a task. */
  sealed interface TreeVerdict
      permits TreeVerdict.Admitted, TreeVerdict.MustWait, SubmitResult.Refused {

    /** The task may start now. */
    record Admitted() implements TreeVerdict {}

    /** The task has to wait, without a job, until a running task ends. */
    record MustWait(int running) implements TreeVerdict {}

    /**
     * Returns the number of running siblings that the task waits for; 0 also when the last of them
     * just ended.
     */
    default int behind() {
      return this instanceof MustWait waits ? waits.running() : 0;
    }
  }

  /**
   * Decides about the task. Concurrent submissions do not see each other among the pending tasks,
   * so the number of pending tasks may exceed its limit by the number of these submissions.
   *
   * @param found when the task was inserted, in this transaction
   */
  @Transactional(TxType.MANDATORY)
  TreeVerdict take(TaskPlan plan, Insertion.Inserted found) {
    var parent = plan.parent();
    if (found.pending() >= found.maxPending()) {
      return full(
          new UsedUpQuota("max_pending_tasks", SOON),
          ("%d tasks are pending, which is the limit (max_pending_tasks); "
                  + "try again in a few seconds, or do the work yourself")
              .formatted(found.maxPending()));
    }
    // A delegation by a model is part of a run that has started: the child waits, as its parent
    // does.
    var exceeded =
        plan.isByClient() ? quotas.exceeded(parent.tenant()) : Optional.<DayQuotas.Exceeded>empty();
    if (exceeded.isPresent()) {
      var quota = exceeded.get();
      return full(new UsedUpQuota(quota.name(), quota.left()), quota.message());
    }
    var depth = parent.depth() + 1;
    var restarts = plan.isByClient() && parent.id().equals(parent.root());
    var verdict =
        trees
            .delegate(parent.root(), depth, restarts)
            .map(tree -> admit(tree, found))
            .orElseGet(() -> usedUp(trees.find(parent.root()).orElseThrow(), depth));
    var limit = tenants.of(parent.tenant()).delegationsPerHour();
    if (limit == null || verdict instanceof SubmitResult.Refused) {
      return verdict;
    }
    return switch (hourly.take(parent.tenant(), limit)) {
      case HourlyDelegations.Hour.DelegationCounted _ -> verdict;
      case HourlyDelegations.Hour.UsedUp(var left) ->
          full(
              new UsedUpQuota("delegations_per_hour", left),
              ("the %d delegations of this hour are used up (delegations_per_hour); try again"
                      + " in %d minutes, or do the work yourself")
                  .formatted(limit, left.toMinutes() + 1));
    };
  }

  private TreeVerdict admit(TreeStore.Tree tree, Insertion.Inserted found) {
    var task = found.task();
    var unpriced =
        tree.limits().maxCost() != null || quotas.limitMoney(task.tenant())
            ? prices.problem(task.model())
            : Optional.<String>empty();
    if (unpriced.isPresent()) {
      return SubmitResult.Refused.invalid("model", unpriced.get());
    }
    return task.background() ? slot(tree, found) : new TreeVerdict.Admitted();
  }

  private static TreeVerdict usedUp(TreeStore.Tree tree, int depth) {
    var limits = tree.limits();
    var total = limits.maxDelegationsTotal();
    if (depth > limits.maxDepth()) {
      return limit(
          "the depth limit of %d is reached; do the work yourself".formatted(limits.maxDepth()));
    }
    return limit(
        total != null && tree.delegations() >= total
            ? ("the limit of %d delegations in the whole life of the root session and all below it"
                    + " is used up; do the work yourself")
                .formatted(total)
            : ("the limit of %d delegations for the root session and all below it is used up until"
                    + " the next user message; do the work yourself")
                .formatted(limits.maxDelegations()));
  }

  /**
   * The tree has counted at least as many new tasks as siblings were added since the insertion, so
   * siblings are counted again only if that number could exceed the limit.
   */
  private TreeVerdict slot(TreeStore.Tree tree, Insertion.Inserted found) {
    var limit = tree.limits().maxBackgroundTasks();
    if (limit == 0) {
      return limit(
          "this session may not run background tasks (the limit is 0); use background: false");
    }
    var countedSince = tree.delegations() - 1 - found.delegations();
    if (found.siblings() + countedSince < limit) {
      return new TreeVerdict.Admitted();
    }
    var counted = siblings.count(found.task().parent(), found.task().id());
    if (counted.live() < limit) {
      return new TreeVerdict.Admitted();
    }
    if (config.backgroundPolicy() == BackgroundPolicy.REJECT) {
      return full(
          new UsedUpQuota("max_background_tasks", SOON),
          ("%d background tasks of this session have not ended, and %d is the limit; wait for a"
                  + " notice, read one with task_output, or end one with task_cancel, then try again")
              .formatted(counted.live(), limit));
    }
    return new TreeVerdict.MustWait(counted.admitted());
  }

  private static TreeVerdict limit(String message) {
    return new SubmitResult.Refused(SubmitResult.RefusalReason.LIMIT, "", message);
  }

  private static TreeVerdict full(UsedUpQuota quota, String message) {
    return SubmitResult.Refused.full(quota, message);
  }
}
