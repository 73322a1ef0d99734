package dev.errand.outbox;

import dev.errand.conversation.Ids;
import dev.errand.outbox.Delivery.ClaimedDelivery;
import dev.errand.outbox.Delivery.DeliveryKind;
import dev.errand.outbox.Delivery.DeliveryState;
import jakarta.inject.Singleton;
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
 * of a node that died (architecture, rules 2 and 12). Of each callback – that of a session or of a
 * task – one post is in turn: it is in flight or waits for its next attempt, and the later ones
 * wait for it.
 */
@Singleton
public class WebhookQueue {

  /**
   * Claims the first post to each callback that has none in turn, and posts that are repeated:
   * those in turn, and those that left it. {@code fresh} looks at one row for each callback,
   * however many wait behind it. Of the posts that have room in their lanes, each tenant gets its
   * oldest ones up to its share, so that many of one tenant leave room for another. A post gets its
   * number when it is claimed first. The number is taken only if the callback has not numbered
   * another post in the meantime, so that two nodes cannot both claim a first post to one callback.
   * A disabled callback numbers nothing, and a callback that another transaction holds delays only
   * its own posts. The time of the statement, unlike that of the clock, can be looked up in the
   * index of repeated posts.
   */
  private static final String CLAIM =
      """
      with recursive fresh as (
        (select id, coalesce(callback_task_id, session_id) as callback, tenant, lane, available_at from outbox
         where state = 'pending' and target <> 'session' and sequence is null and available_at <= clock_timestamp()
           and (claimed_until is null or claimed_until < clock_timestamp())
         order by coalesce(callback_task_id, session_id), created_at, id limit 1)
        union all
        select following.* from fresh cross join lateral
          (select id, coalesce(callback_task_id, session_id), tenant, lane, available_at from outbox
           where state = 'pending' and target <> 'session' and sequence is null and available_at <= clock_timestamp()
             and (claimed_until is null or claimed_until < clock_timestamp())
             and coalesce(callback_task_id, session_id) > fresh.callback
           order by coalesce(callback_task_id, session_id), created_at, id limit 1) following),
      due as (
        select id, tenant, lane, available_at from fresh
        where not exists (
          select 1 from outbox earlier
          where coalesce(earlier.callback_task_id, earlier.session_id) = fresh.callback and earlier.state = 'pending'
            and earlier.sequence is not null and not earlier.alone)
        union all
        select id, tenant, lane, available_at from outbox
        where state = 'pending' and sequence is not null and available_at <= statement_timestamp()
          and (claimed_until is null or claimed_until < clock_timestamp())),
      placed as (
        select id, tenant, lane, available_at, row_number() over (partition by lane order by available_at, id) as place
        from due
        where not exists (
          select 1 from unnest(:tenants, :usedOfTenants) as busy(tenant, used)
          where busy.tenant = due.tenant and used >= :perTenant)),
      of_tenants as (
        select placed.id, tenant, available_at,
               row_number() over (partition by tenant order by available_at, placed.id) as place
        from placed left join unnest(:lanes, :usedOfLanes) as busy(lane, used) on busy.lane = placed.lane
        where placed.place + coalesce(busy.used, 0) <= :perLane),
      chosen as (
        select id, coalesce(callback_task_id, session_id) as callback, sequence from outbox
        where id in (
            select of_tenants.id
            from of_tenants left join unnest(:tenants, :usedOfTenants) as busy(tenant, used)
              on busy.tenant = of_tenants.tenant
            where of_tenants.place + coalesce(busy.used, 0) <= :perTenant
            order by of_tenants.available_at, of_tenants.id
            limit :limit)
          and state = 'pending' and available_at <= clock_timestamp() and (claimed_until is null or claimed_until < clock_timestamp())
        for no key update skip locked),
      seen as (
        select id, posts from callback
        where id in (select callback from chosen where sequence is null)
        for no key update skip locked),
      numbered as (
        update callback set posts = callback.posts + case when callback.disabled_at is null then 1 else 0 end
        from chosen join seen on seen.id = chosen.callback
        where chosen.sequence is null and callback.id = seen.id and callback.posts = seen.posts
        returning chosen.id, case when callback.disabled_at is null then callback.posts end as sequence)
      update outbox
      set claim = :claim, claimed_until = clock_timestamp() + :leaseMs * interval '1 millisecond',
          sequence = coalesce(outbox.sequence, numbered.sequence)
      from chosen left join numbered on numbered.id = chosen.id
      where outbox.id = chosen.id and (chosen.sequence is not null or numbered.id is not null)
      returning outbox.id, outbox.session_id, target, kind, chosen.callback, coalesce(task_id, callback_task_id) as task_id,
                outbox.tenant, lane, event, outbox.sequence, created_at,
                case when coalesce(task_id, callback_task_id) is null
                  then (select trace_parent from session where session.id = outbox.session_id)
                  else (select trace_parent from task where task.id = coalesce(outbox.task_id, outbox.callback_task_id)) end as trace_parent
      """;

  private static final String RELEASE =
      """
      update outbox
      set claim = null, claimed_until = null,
          available_at = clock_timestamp() + :afterMs * interval '1 millisecond',
          alone = alone or (:alone and sequence is not null)
      where id = :id and state = 'pending' and claim is not distinct from :claim
      """;

  private static final String HASTEN =
      """
      update outbox set available_at = clock_timestamp()
      where id in (
        select id from outbox
        where coalesce(callback_task_id, session_id) = :callback and target <> 'session' and state = 'pending'
          and available_at > clock_timestamp()
        for no key update skip locked)
      """;

  /** Posts without a number, whether or not it is their turn, or posts that are repeated. */
  public static final String SOME_DUE =
      """
      exists (select 1 from outbox where state = 'pending' and target <> 'session' and sequence is null)
      or exists (select 1 from outbox where state = 'pending' and sequence is not null and available_at <= now())
      """;

  private final Jdbi jdbi;
  private final OutboxStore outbox;

  WebhookQueue(Jdbi jdbi, OutboxStore outbox) {
    this.jdbi = jdbi;
    this.outbox = outbox;
  }

  /**
   * The number of posts that may start now: in total, and per lane and tenant including those in
   * flight.
   */
  public record Room(int total, int perLane, int perTenant) {}

  /** The number of posts in flight on this node, per lane and per tenant. */
  public record UnderWay(Map<String, Integer> perLane, Map<String, Integer> perTenant) {
    public UnderWay {
      perLane = Map.copyOf(perLane);
      perTenant = Map.copyOf(perTenant);
    }
  }

  /**
   * Claims rows that are due, the longest due first within each lane; of each callback one after
   * the other in the order in which they were written.
   */
  @Transactional
  public List<ClaimedDelivery> claim(UnderWay underWay, Room room, Duration lease) {
    var lanes = List.copyOf(underWay.perLane().entrySet());
    var tenants = List.copyOf(underWay.perTenant().entrySet());
    var claim = Ids.next();
    return jdbi.withHandle(handle ->
        handle
            .createQuery(CLAIM)
            .bindArray("lanes", String.class, lanes.stream().map(Map.Entry::getKey).toList())
            .bindArray(
                "usedOfLanes", Integer.class, lanes.stream().map(Map.Entry::getValue).toList())
            .bindArray("tenants", String.class, tenants.stream().map(Map.Entry::getKey).toList())
            .bindArray(
                "usedOfTenants", Integer.class, tenants.stream().map(Map.Entry::getValue).toList())
            .bind("perLane", room.perLane())
            .bind("perTenant", room.perTenant())
            .bind("limit", room.total())
            .bind("claim", claim)
            .bind("leaseMs", lease.toMillis())
            .map((row, _) ->
                new ClaimedDelivery(
                    Delivery.read(row),
                    claim,
                    DeliveryKind.of(row.getString("kind")),
                    row.getObject("callback", UUID.class),
                    row.getString("tenant"),
                    row.getString("lane"),
                    row.getObject("sequence", Long.class),
                    row.getString("event")))
            .list());
  }

  /**
   * The receiver has accepted the post. True also for a claim that has expired.
   *
   * @return empty when the row is no longer pending
   */
  @Transactional(TxType.MANDATORY)
  public boolean delivered(ClaimedDelivery post) {
    return !outbox.settle(List.of(post.delivery().id()), DeliveryState.DELIVERED).isEmpty();
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

  /**
   * Sets when the next attempt is due; called after {@link #failed}. Idempotent.
   *
   * @param alone whether later posts to the callback no longer wait for this one
   */
  @Transactional(TxType.MANDATORY)
  public void postpone(UUID id, Duration after, boolean alone) {
    release(id, null, after, alone);
  }

  /** Ends a claim whose attempt could not be made; it does not count as an attempt. */
  @Transactional
  public void releaseClaim(ClaimedDelivery post, Duration after) {
    release(post.delivery().id(), post.claim(), after, false);
  }

  private void release(UUID id, @Nullable UUID claim, Duration after, boolean alone) {
    jdbi.useHandle(handle ->
        handle
            .createUpdate(RELEASE)
            .bind("id", id)
            .bind("claim", claim)
            .bind("afterMs", after.toMillis())
            .bind("alone", alone)
            .execute());
  }

  /** Makes all posts to a callback due now, in its own transaction because it locks many rows. */
  @Transactional(TxType.REQUIRES_NEW)
  public void hasten(UUID callback) {
    jdbi.useHandle(handle -> handle.createUpdate(HASTEN).bind("callback", callback).execute());
  }
}
