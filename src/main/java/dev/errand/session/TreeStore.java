package dev.errand.session;

import dev.errand.conversation.Cost;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.Usage;
import dev.errand.event.Events;
import dev.errand.postgres.Statement;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ThreadLocalRandom;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * The tree table: the limits of each root and their use (architecture, rule 15). A row is created
 * with its root. Many transactions write to it: lock it after everything else and commit soon.
 */
@Singleton
public class TreeStore {

  /**
   * All that {@link #read} needs is named: with {@code *}, a migration that adds a column would
   * change the result of prepared statements, which then fail once on each connection.
   */
  private static final String FIND =
      """
      select max_depth, max_delegations, max_delegations_total, max_background_tasks, max_tokens, max_cost,
             delegations, turn_delegations, tokens, cached_tokens, cost
      from tree where root_id = :root
      """;

  private static final String LOCK =
      """
      select max_depth, max_delegations, max_delegations_total, max_background_tasks, max_tokens, max_cost,
             delegations, turn_delegations, tokens, cached_tokens, cost
      from tree where root_id = :root for no key update
      """;

  private static final String DELEGATE =
      """
      update tree
      set delegations = delegations + 1,
          turn_delegations = case when :restarts then 0 else turn_delegations end + 1
      where root_id = :root and least(max_depth, :capDepth::int) >= :depth
        and case when :restarts then 0 else turn_delegations end < least(max_delegations, :capDelegations::int)
        and delegations < coalesce(least(max_delegations_total, :capTotal::int), delegations + 1)
      returning max_depth, max_delegations, max_delegations_total, max_background_tasks, max_tokens, max_cost,
                delegations, turn_delegations, tokens, cached_tokens, cost
      """;

  private static final String COUNT =
      """
      with today as (
        insert into tenant_day as so_far (tenant, day, slot, tokens, cached_tokens, cost)
        select tenant, (now() at time zone 'utc')::date, :slot, :tokens, :cached, :cost from session where id = :root
        on conflict (tenant, day, slot) do update
        set tokens = so_far.tokens + excluded.tokens, cached_tokens = so_far.cached_tokens + excluded.cached_tokens,
            cost = coalesce(so_far.cost + excluded.cost, so_far.cost, excluded.cost))
      update tree
      set tokens = tokens + :tokens, cached_tokens = cached_tokens + :cached, cost = cost + coalesce(:cost, 0)
      where root_id = :root
      """;

  /** Sessions of one tenant that save a turn at the same time rarely meet in one row. */
  private static final int SLOTS = 16;

  private final Jdbi jdbi;
  private final Events events;
  private final LimitConfig config;

  TreeStore(Jdbi jdbi, Events events, LimitConfig config) {
    this.jdbi = jdbi;
    this.events = events;
    this.config = config;
  }

  /**
   * The limits of a tree and their use.
   *
   * @param delegations number of tasks in its whole life
   * @param turnDelegations number of tasks since the last act of a client
   * @param tokens input and output tokens so far, without those that providers read from their
   *     caches
   * @param cachedTokens those that they read from their caches; no limit applies to them
   * @param cost of the calls whose models have a price
   */
  public record Tree(
      Limits limits,
      int delegations,
      int turnDelegations,
      long tokens,
      long cachedTokens,
      Cost cost) {}

  /** Finds a tree; empty when the root does not exist. */
  public Optional<Tree> find(SessionId root) {
    return one(FIND, root);
  }

  /**
   * Counts one delegation and locks the tree until the transaction ends.
   *
   * @param depth of the child
   * @param restarts whether a client delegates for the root, so that the count since its last act
   *     starts again
   * @return empty when the depth or the number of delegations is not allowed: nothing was counted
   */
  @Transactional(TxType.MANDATORY)
  public Optional<Tree> delegate(SessionId root, int depth, boolean restarts) {
    var cap = config.cap();
    return jdbi.withHandle(handle ->
        handle
            .createQuery(DELEGATE)
            .bind("root", root)
            .bind("depth", depth)
            .bind("restarts", restarts)
            .bind("capDepth", nullable(cap.maxDepth()))
            .bind("capDelegations", nullable(cap.maxDelegations()))
            .bind("capTotal", nullable(cap.maxDelegationsTotal()))
            .map((row, _) -> read(row))
            .findOne());
  }

  /** Restarts the count for the limit of delegations, because a client acts on the root. */
  @Transactional(TxType.MANDATORY)
  void beginTurn(SessionId root) {
    jdbi.useHandle(handle ->
        handle.execute(
            "update tree set turn_delegations = 0 where root_id = ? and turn_delegations > 0",
            root));
  }

  /** Locks the tree until the transaction ends. */
  @Transactional(TxType.MANDATORY)
  public Optional<Tree> lock(SessionId root) {
    return one(LOCK, root);
  }

  /**
   * Counts tasks of the session's tree that this transaction deletes; called after their rows are
   * deleted.
   */
  @Transactional(TxType.MANDATORY)
  public void forget(SessionId session, int tasks) {
    jdbi.useHandle(handle ->
        handle
            .createUpdate(
                """
                update tree set forgotten = forgotten + :tasks
                where root_id = (select root_id from session where id = :session)
                """)
            .bind("tasks", tasks)
            .bind("session", session)
            .execute());
  }

  /**
   * Counts what a model call in one of the tree's sessions has used, for the tree and for the day
   * of its tenant, at the end of the transaction.
   */
  @Transactional(TxType.MANDATORY)
  public void count(SessionId root, Usage usage) {
    var cost = usage.cost();
    events.beforeEvents(
        Statement.of(COUNT)
            .bind("root", root)
            .bind("tokens", usage.inputTokens() - usage.cachedInputTokens() + usage.outputTokens())
            .bind("cached", usage.cachedInputTokens())
            .bind("cost", cost == null ? null : cost.micros())
            .bind("slot", ThreadLocalRandom.current().nextInt(SLOTS)));
  }

  private Optional<Tree> one(String sql, SessionId root) {
    return jdbi.withHandle(
        handle -> handle.createQuery(sql).bind("root", root).map((row, _) -> read(row)).findOne());
  }

  private static @Nullable Integer nullable(OptionalInt limit) {
    return limit.isPresent() ? limit.getAsInt() : null;
  }

  /** Reads a row that has the columns of {@link #FIND}. */
  Tree read(ResultSet row) throws SQLException {
    return new Tree(
        limits(row).within(config.cap()),
        row.getInt("delegations"),
        row.getInt("turn_delegations"),
        row.getLong("tokens"),
        row.getLong("cached_tokens"),
        new Cost(row.getLong("cost")));
  }

  private static Limits limits(ResultSet row) throws SQLException {
    @Nullable Long maxTokens = row.getObject("max_tokens", Long.class);
    return new Limits(
        row.getInt("max_depth"),
        row.getInt("max_delegations"),
        row.getObject("max_delegations_total", Integer.class),
        row.getInt("max_background_tasks"),
        maxTokens,
        Cost.ofMicros(row.getObject("max_cost", Long.class)));
  }
}
