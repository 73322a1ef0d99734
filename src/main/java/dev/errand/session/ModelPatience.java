package dev.errand.session;

import dev.errand.conversation.SessionId;
import dev.errand.secret.Secrets;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Decides how long sessions wait for a model that is away, and finds the sessions that may try
 * again after a wait for their model or for memory.
 */
@Singleton
public class ModelPatience {

  /** The wait is half random, so that sessions that failed together do not return together. */
  private static final String COUNT =
      """
      update session
      set model_away_since = case when :away then coalesce(model_away_since, clock_timestamp()) else model_away_since end,
          model_tries = model_tries + case when :tried then 1 else 0 end,
          error_code = coalesce(:code, error_code), error_message = coalesce(:message, error_message),
          error_at = case when :away then clock_timestamp() else error_at end
      where id = :id and epoch = :epoch and state = 'running'
        and (not :away
             or coalesce(clock_timestamp() - model_away_since, interval '0') < :patience * interval '1 millisecond')
      returning least(
        greatest(:asked,
          case when :tried then (0.5 + random() / 2) * least(:longest, :first * power(2, least(model_tries - 1, 20))) end),
        case when :away
             then :patience - extract(epoch from clock_timestamp() - model_away_since) * 1000 end)::bigint as ms
      """;

  private static final String DUE =
      """
      select id as session, tenant, agent, model,
             coalesce(model_away_since + :patience * interval '1 millisecond' <= clock_timestamp(), false) as out_of_patience
      from session
      where state = 'waiting' and waits_for in ('model', 'memory') and waits_until <= statement_timestamp()
        and tenant || ' ' || model <> all(:except)
      order by run_turns = 0 and model_tries = 0, waits_until
      limit :limit
      """;

  private final Jdbi jdbi;
  private final Fence fence;

  ModelPatience(Jdbi jdbi, Fence fence) {
    this.jdbi = jdbi;
    this.fence = fence;
  }

  /**
   * The limits of a session's wait.
   *
   * @param asked at least
   * @param first the wait after the first failed try; each further one doubles it
   * @param longest the limit of {@code first}, doubled
   * @param patience how long the session may wait in total since its first failed try
   * @param away the fault of a model that is away, so that the patience applies; null for another
   *     reason
   * @param tried whether the model was called
   */
  public record WaitTerms(
      Duration asked,
      Duration first,
      Duration longest,
      Duration patience,
      @Nullable ModelAway away,
      boolean tried) {}

  /** The reason why a model is away, as {@link SessionFailures.SessionError} says it. */
  public record ModelAway(String code, String message) {

    /** Secrets are masked. */
    public ModelAway {
      message = Secrets.masked(message);
    }
  }

  /**
   * A session that may look again.
   *
   * @param outOfPatience whether it does not wait again for a model that is away
   */
  public record DueSession(
      SessionId session, String tenant, String agent, String model, boolean outOfPatience) {

    /** Returns what {@link #due} can leave out: the tenant and its model. */
    public String target() {
      return tenant + " " + model;
    }
  }

  /**
   * Counts a try of a run that cannot call its model now.
   *
   * @return how long its session waits; empty when its patience is over, then nothing has changed
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  public Optional<Duration> count(Lease lease, WaitTerms terms) {
    var ignored = fence.lock(lease);
    var away = terms.away();
    return jdbi.withHandle(handle ->
        handle
            .createQuery(COUNT)
            .bind("id", lease.session())
            .bind("epoch", lease.epoch())
            .bind("asked", terms.asked().toMillis())
            .bind("first", terms.first().toMillis())
            .bind("longest", terms.longest().toMillis())
            .bind("patience", terms.patience().toMillis())
            .bind("away", away != null)
            .bind("code", away == null ? null : away.code())
            .bind("message", away == null ? null : away.message())
            .bind("tried", terms.tried())
            .map((row, _) -> Duration.ofMillis(Math.max(0, row.getLong("ms"))))
            .findOne());
  }

  /**
   * Returns the sessions that may look again: first those in the middle of a run, and those whose
   * first call was refused, because their time-outs run already.
   *
   * @param except each {@link DueSession#target} whose sessions are left out
   */
  public List<DueSession> due(Duration patience, Set<String> except, int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(DUE)
            .bind("patience", patience.toMillis())
            .bindArray("except", String.class, List.copyOf(except))
            .bind("limit", limit)
            .mapTo(DueSession.class)
            .list());
  }
}
