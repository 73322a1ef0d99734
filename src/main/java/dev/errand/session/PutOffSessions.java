package dev.errand.session;

import dev.errand.conversation.SessionId;
import dev.errand.session.SessionFailures.SessionError;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Sessions that wait for a time, without a worker and a job: their model cannot answer, or their
 * node has no memory for them.
 */
@Singleton
public class PutOffSessions {

  /** The wait is half random, so that sessions that failed together do not return together. */
  private static final String PUT_OFF =
      """
      update session
      set state = 'waiting', node_id = null, updated_at = now(),
          not_before = least(
            clock_timestamp() + interval '1 millisecond' * greatest(:asked,
              case when :tried then (0.5 + random() / 2) * least(:longest, :first * power(2, least(tries, 20))) end),
            case when :away then coalesce(away_since, clock_timestamp()) + :patience * interval '1 millisecond' end),
          away_since = case when :away then coalesce(away_since, clock_timestamp()) else away_since end,
          tries = tries + case when :tried then 1 else 0 end,
          error_code = coalesce(:code, error_code), error_message = coalesce(:message, error_message),
          error_at = case when :away then clock_timestamp() else error_at end
      where id = :id and epoch = :epoch and state = 'running'
        and (not :away
             or coalesce(clock_timestamp() - away_since, interval '0') < :patience * interval '1 millisecond')
      returning not_before, extract(epoch from not_before - clock_timestamp()) * 1000 as ms
      """;

  private static final String DUE =
      """
      select id, tenant, agent, model, away_since + :patience * interval '1 millisecond' <= clock_timestamp() as over from session
      where state = 'waiting' and not_before <= statement_timestamp() and paused_at is null and tenant || ' ' || model <> all(:except)
      order by run_turns = 0 and tries = 0, not_before
      limit :limit
      """;

  public static final String SOME_DUE =
      "exists (select 1 from session where state = 'waiting' and not_before <= now() and paused_at is null)";

  private final Jdbi jdbi;
  private final Fence fence;
  private final SessionHandover handover;
  private final SessionEvents events;

  PutOffSessions(Jdbi jdbi, Fence fence, SessionHandover handover, SessionEvents events) {
    this.jdbi = jdbi;
    this.fence = fence;
    this.handover = handover;
    this.events = events;
  }

  /** Why a session waits. */
  public enum Reason {
    MODEL_AWAY,
    MODEL_BUSY,
    NODE_BUSY;

    /** As events and failed calls name it. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * How long a session waits.
   *
   * @param asked at least
   * @param first the wait after the first failed try; each further one doubles it
   * @param longest the limit of {@code first}, doubled
   * @param patience how long the session may wait in total since its first failed try
   * @param away the fault of a model that is away, so that the patience applies; null for another
   *     reason
   * @param tried whether the model was called
   */
  public record Wait(
      Reason reason,
      Duration asked,
      Duration first,
      Duration longest,
      Duration patience,
      @Nullable Away away,
      boolean tried) {}

  /** Why a model is away, as {@link SessionError} says it. */
  public record Away(String code, String message) {}

  /** The time at which a session is due, and how long that is from now. */
  public record Until(Instant at, Duration left) {}

  /**
   * A session whose wait is over.
   *
   * @param outOfPatience whether it does not wait again for a model that is away
   */
  public record Due(
      SessionId session, String tenant, String agent, String model, boolean outOfPatience) {

    /** What {@link #due} can leave out: the tenant and its model. */
    public String target() {
      return tenant + " " + model;
    }
  }

  /**
   * Ends a run until a later time.
   *
   * @return when the session is due; empty when its patience is over, then nothing has changed
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  public Optional<Until> putOff(Lease lease, Wait wait) {
    var ignored = fence.hold(lease);
    var away = wait.away();
    var until =
        jdbi.withHandle(handle ->
            handle
                .createQuery(PUT_OFF)
                .bind("id", lease.session().value())
                .bind("epoch", lease.epoch())
                .bind("asked", wait.asked().toMillis())
                .bind("first", wait.first().toMillis())
                .bind("longest", wait.longest().toMillis())
                .bind("patience", wait.patience().toMillis())
                .bind("away", away != null)
                .bind("code", away == null ? null : away.code())
                .bind("message", away == null ? null : away.message())
                .bind("tried", wait.tried())
                .map((row, _) ->
                    new Until(
                        row.getTimestamp("not_before").toInstant(),
                        Duration.ofMillis(row.getLong("ms"))))
                .findOne());
    until.ifPresent(due -> events.waits(lease.session(), wait.reason().word(), due.at(), null));
    return until;
  }

  /**
   * The sessions whose wait is over: first those in the middle of a run, and those whose first call
   * was refused, because their time-outs run already.
   *
   * @param except each {@link Due#target} whose sessions are left out
   */
  public List<Due> due(Duration patience, Set<String> except, int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(DUE)
            .bind("patience", patience.toMillis())
            .bindArray("except", String.class, List.copyOf(except))
            .bind("limit", limit)
            .map((row, _) ->
                new Due(
                    new SessionId(row.getObject("id", UUID.class)),
                    row.getString("tenant"),
                    row.getString("agent"),
                    row.getString("model"),
                    row.getBoolean("over")))
            .list());
  }

  /**
   * Queues a session whose wait is over.
   *
   * @return false when another node has done so
   */
  @Transactional
  public boolean resume(SessionId id) {
    var due =
        jdbi.withHandle(handle ->
            handle
                .createQuery(
                    """
                    select 1 from session
                    where id = :id and state = 'waiting' and not_before <= clock_timestamp() and paused_at is null
                    for no key update skip locked
                    """)
                .bind("id", id.value())
                .mapTo(Integer.class)
                .findOne());
    due.ifPresent(_ -> handover.resume(id));
    return due.isPresent();
  }
}
