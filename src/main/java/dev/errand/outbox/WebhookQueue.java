package dev.errand.outbox;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.errand.conversation.SessionId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Outbox rows that are posted to a webhook: claimed in one transaction, posted outside of any,
 * settled in another. A claim expires by the database's clock, so that another node posts the row
 * of a node that died (architecture, rules 2 and 12).
 */
@ApplicationScoped
public class WebhookQueue {

  private static final String CLAIM =
      """
      with due as (
        select id, lane, available_at, row_number() over (partition by lane order by available_at, id) as place
        from outbox
        where state = 'pending' and target = 'webhook' and available_at <= clock_timestamp()
          and (claimed_until is null or claimed_until < clock_timestamp())),
      chosen as (
        select id from outbox
        where id in (
            select due.id
            from due left join unnest(:lanes, :used) as busy(lane, used) on busy.lane = due.lane
            where due.place + coalesce(busy.used, 0) <= :perLane
            order by due.available_at, due.id
            limit :limit)
          and state = 'pending' and (claimed_until is null or claimed_until < clock_timestamp())
        for no key update skip locked)
      update outbox set claim = :claim, claimed_until = clock_timestamp() + :leaseMs * interval '1 millisecond'
      where id in (select id from chosen)
      returning id, session_id, target, payload, lane, event, created_at,
                case when task_id is null
                  then (select trace_parent from session where session.id = outbox.session_id)
                  else (select trace_parent from task where task.id = outbox.task_id) end as trace_parent
      """;

  private static final String RELEASE =
      """
      update outbox
      set claim = null, claimed_until = null,
          available_at = clock_timestamp() + :afterMs * interval '1 millisecond'
      where id = :id and state = 'pending' and claim is not distinct from :claim
      """;

  private static final String HASTEN =
      """
      update outbox set available_at = clock_timestamp()
      where id in (
        select id from outbox
        where session_id = :session and target = 'webhook' and state = 'pending' and available_at > clock_timestamp()
        for no key update skip locked)
      """;

  private final Jdbi jdbi;
  private final OutboxStore outbox;

  WebhookQueue(Jdbi jdbi, OutboxStore outbox) {
    this.jdbi = jdbi;
    this.outbox = outbox;
  }

  /** The number of posts that may start now: in total, and per lane including those in flight. */
  public record Room(int total, int perLane) {}

  /**
   * Claims rows that are due, the longest due first within each lane.
   *
   * @param underWay the number of posts in flight on this node, per lane
   */
  @Transactional
  public List<ClaimedDelivery> claim(Map<String, Integer> underWay, Room room, Duration lease) {
    var lanes = List.copyOf(underWay.entrySet());
    var claim = UuidCreator.getTimeOrderedEpoch();
    return jdbi.withHandle(handle ->
        handle
            .createQuery(CLAIM)
            .bindArray("lanes", String.class, lanes.stream().map(Map.Entry::getKey).toList())
            .bindArray("used", Integer.class, lanes.stream().map(Map.Entry::getValue).toList())
            .bind("perLane", room.perLane())
            .bind("limit", room.total())
            .bind("claim", claim)
            .bind("leaseMs", lease.toMillis())
            .map((row, _) ->
                new ClaimedDelivery(
                    OutboxStore.delivery(row),
                    claim,
                    row.getString("lane"),
                    row.getString("event")))
            .list());
  }

  /**
   * The receiver has accepted the post. True also for a claim that has expired.
   *
   * @return false when the row was settled otherwise meanwhile
   */
  @Transactional(TxType.MANDATORY)
  public boolean delivered(ClaimedDelivery post) {
    return outbox.settle(post.delivery().id(), DeliveryState.DELIVERED);
  }

  /**
   * Counts a failed attempt and ends the claim.
   *
   * @return the number of failed attempts; -1 when the claim has expired and is another node's
   */
  @Transactional(TxType.MANDATORY)
  public int failed(ClaimedDelivery post, String error) {
    return outbox.countFailure(post.delivery().id(), post.claim(), error);
  }

  /** Sets when the next attempt is due; called after {@link #failed}. Idempotent. */
  @Transactional(TxType.MANDATORY)
  public void postpone(UUID id, Duration after) {
    release(id, null, after);
  }

  /** Ends a claim whose attempt could not be made; it does not count as an attempt. */
  @Transactional
  public void releaseClaim(ClaimedDelivery post, Duration after) {
    release(post.delivery().id(), post.claim(), after);
  }

  private void release(UUID id, @Nullable UUID claim, Duration after) {
    jdbi.useHandle(handle ->
        handle
            .createUpdate(RELEASE)
            .bind("id", id)
            .bind("claim", claim)
            .bind("afterMs", after.toMillis())
            .execute());
  }

  /** Makes all posts of a session due now, in its own transaction because it locks many rows. */
  @Transactional(TxType.REQUIRES_NEW)
  public void hasten(SessionId session) {
    jdbi.useHandle(
        handle -> handle.createUpdate(HASTEN).bind("session", session.value()).execute());
  }
}
