package dev.errand.outbox;

import dev.errand.conversation.Ids;
import dev.errand.conversation.Word;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * The outbox rows that leave the service: posts to callbacks, and events for hooks. They are
 * claimed in one transaction, sent outside of any, settled in another. A claim expires by the
 * database's clock, so that another node sends the row of a node that died (architecture, rules 2
 * and 12). Of each stream – that of a callback, or of a hook and a task – one row is in turn: it is
 * in flight or waits for its next attempt, and the later ones wait for it.
 */
@Singleton
public class OutgoingQueue {

  private static final int READ = 200;

  /**
   * The first row of each stream that has none in turn, however many wait behind it, and rows that
   * are repeated: those in turn, and those that left it. The time of the statement, unlike that of
   * the clock, can be looked up in the index of repeated rows.
   */
  private static final String DUE =
      """
      with recursive first as (
        (select * from outbox
         where state = 'pending' and target <> 'session' and sequence is null and available_at <= clock_timestamp()
           and (claimed_until is null or claimed_until < clock_timestamp())
         order by stream, created_at, id limit 1)
        union all
        select next.* from first cross join lateral
          (select * from outbox
           where state = 'pending' and target <> 'session' and sequence is null and available_at <= clock_timestamp()
             and (claimed_until is null or claimed_until < clock_timestamp()) and outbox.stream > first.stream
           order by stream, created_at, id limit 1) next)
      select id, tenant, receiver, target = 'hook' as for_hook
      from (
        select * from first
        where not exists (
          select 1 from outbox earlier
          where earlier.stream = first.stream and earlier.state = 'pending'
            and earlier.sequence is not null and not earlier.out_of_turn)
        union all
        select * from outbox
        where state = 'pending' and sequence is not null and available_at <= statement_timestamp()
          and (claimed_until is null or claimed_until < clock_timestamp())) due
      where case when target = 'hook' then receiver = any(:hooks)
            else :posts and receiver <> all(:fullHosts) and tenant <> all(:fullTenants) end
      order by available_at, id
      limit :limit
      """;

  /**
   * A row gets its number when it is claimed first. A callback gives it one higher than the last,
   * but only if it has not numbered another row in the meantime, so that two nodes cannot both
   * claim a first post to one callback. A disabled callback numbers nothing, and a callback that
   * another transaction has locked delays only its own posts. Events for hooks are not numbered:
   * each has the number 1.
   */
  private static final String CLAIM =
      """
      with chosen as (
        select id, target, sequence, coalesce(callback_task_id, session_id) as callback from outbox
        where id = any(:ids) and state = 'pending' and available_at <= clock_timestamp()
          and (claimed_until is null or claimed_until < clock_timestamp())
        for no key update skip locked),
      seen as (
        select id, posts from callback
        where id in (select callback from chosen where sequence is null and target <> 'hook')
        for no key update skip locked),
      numbered as (
        update callback set posts = callback.posts + case when callback.disabled_at is null then 1 else 0 end
        from chosen join seen on seen.id = chosen.callback
        where chosen.sequence is null and target <> 'hook' and callback.id = seen.id and callback.posts = seen.posts
        returning chosen.id, case when callback.disabled_at is null then callback.posts end as sequence),
      numbers as (
        select id, sequence from chosen where sequence is not null
        union all
        select id, 1 from chosen where sequence is null and target = 'hook'
        union all
        select id, sequence from numbered)
      update outbox
      set claim = :claim, sequence = numbers.sequence,
          claimed_until = clock_timestamp() + case when target = 'hook' then :hookMs else :postMs end * interval '1 millisecond'
      from numbers where outbox.id = numbers.id
      returning outbox.id, session_id, target, kind, coalesce(callback_task_id, session_id) as callback,
                coalesce(task_id, callback_task_id) as task_id, tenant, receiver, event, outbox.sequence, created_at,
                case when target = 'hook' then null
                     when coalesce(task_id, callback_task_id) is null
                     then (select trace_parent from session where session.id = outbox.session_id)
                     else (select trace_parent from task where task.id = coalesce(outbox.task_id, outbox.callback_task_id)) end as trace_parent
      """;

  private static final String HASTEN =
      """
      update outbox set available_at = clock_timestamp()
      where id in (
        select id from outbox
        where stream = :stream and target <> 'session' and state = 'pending' and available_at > clock_timestamp()
        for no key update skip locked)
      """;

  /** Rows without a number, whether or not it is their turn, or rows that are repeated. */
  public static final String SOME_DUE =
      """
      exists (select 1 from outbox where state = 'pending' and target <> 'session' and sequence is null)
      or exists (select 1 from outbox where state = 'pending' and sequence is not null and available_at <= now())
      """;

  private final Jdbi jdbi;

  OutgoingQueue(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * The receivers for which there is room now.
   *
   * @param hooks that may get further events
   * @param posts whether there is room for posts to callbacks
   * @param fullHosts hosts that get no further post
   * @param fullTenants tenants that send no further post
   */
  public record FreeRoom(
      Set<String> hooks, boolean posts, Set<String> fullHosts, Set<String> fullTenants) {}

  /**
   * A row that may be sent.
   *
   * @param receiver the name of the hook, or the host of the callback
   */
  public record DueRow(UUID id, String tenant, String receiver, boolean forHook) {}

  /** The time that a node may take to send a row. */
  public record SendLeases(Duration post, Duration hook) {}

  /**
   * Reads at most 200 rows that are due, the longest due first; of each stream one after the other
   * in the order in which they were written.
   */
  public List<DueRow> due(FreeRoom open) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(DUE)
            .bindArray("hooks", String.class, List.copyOf(open.hooks()))
            .bind("posts", open.posts())
            .bindArray("fullHosts", String.class, List.copyOf(open.fullHosts()))
            .bindArray("fullTenants", String.class, List.copyOf(open.fullTenants()))
            .bind("limit", READ)
            .mapTo(DueRow.class)
            .list());
  }

  /** Claims those of the rows that no other node has claimed. */
  @Transactional
  public List<ClaimedDelivery> claim(List<UUID> ids, SendLeases leases) {
    if (ids.isEmpty()) {
      return List.of();
    }
    var claim = Ids.next();
    return jdbi.withHandle(handle ->
        handle
            .createQuery(CLAIM)
            .bindArray("ids", UUID.class, ids)
            .bind("claim", claim)
            .bind("postMs", leases.post().toMillis())
            .bind("hookMs", leases.hook().toMillis())
            .map((row, _) ->
                new ClaimedDelivery(
                    Delivery.read(row),
                    claim,
                    Word.of(DeliveryKind.class, row.getString("kind")),
                    row.getObject("callback", UUID.class),
                    row.getString("tenant"),
                    row.getString("receiver"),
                    row.getObject("sequence", Long.class),
                    row.getString("event")))
            .list());
  }

  /** Makes all posts to a callback due now, in its own transaction because it locks many rows. */
  @Transactional(TxType.REQUIRES_NEW)
  public void hasten(UUID callback) {
    jdbi.useHandle(
        handle -> handle.createUpdate(HASTEN).bind("stream", callback.toString()).execute());
  }
}
