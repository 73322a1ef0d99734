package dev.errand.hook;

import dev.errand.conversation.Ids;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * Events that hooks have not accepted yet. Of the events of one task (or session) a hook gets one
 * at a time, in the order in which they were written: a row is due when no earlier one is left. A
 * claim expires by the database's clock, so that another node sends what a dead one had claimed.
 */
@Singleton
class HookQueue {

  private static final String CLAIM =
      """
      update hook_event set claim = :claim, claimed_until = clock_timestamp() + :leaseMs * interval '1 millisecond'
      where id in (
        select due.id from unnest(:hooks, :room) as asked (hook, room) cross join lateral (
          select id from hook_event waiting
          where waiting.hook = asked.hook and available_at <= statement_timestamp()
            and (claimed_until is null or claimed_until < statement_timestamp())
            and not exists (
              select 1 from hook_event earlier
              where earlier.hook = waiting.hook and earlier.subject = waiting.subject
                and earlier.position < waiting.position)
          order by available_at, position
          limit asked.room
          for no key update skip locked) due)
      returning id, hook, event, body, attempts, created_at
      """;

  private static final String POSTPONE =
      """
      update hook_event
      set attempts = attempts + :counts, claim = null, claimed_until = null,
          available_at = clock_timestamp() + :afterMs * interval '1 millisecond'
      where id = :id and claim = :claim
      """;

  private static final String DELETE_OLD =
      """
      delete from hook_event
      where id in (
        select id from hook_event where created_at < statement_timestamp() - :keepMs * interval '1 millisecond'
        limit :batch
        for update skip locked)
      returning hook, event
      """;

  static final String SOME = "exists (select 1 from hook_event)";

  private final Jdbi jdbi;

  HookQueue(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * A claimed event.
   *
   * @param attempts how often the hook has failed to accept it
   */
  record Due(
      UUID id,
      UUID claim,
      String hook,
      String event,
      String body,
      int attempts,
      Instant createdAt) {}

  /** What was deleted without having been accepted. */
  record Old(String hook, String event) {}

  @Transactional(TxType.MANDATORY)
  void write(List<String> hooks, HookEvent event, UUID subject, String body) {
    var ids = hooks.stream().map(_ -> Ids.next()).toList();
    jdbi.useHandle(handle ->
        handle
            .createUpdate(
                """
                insert into hook_event (id, hook, event, subject, body)
                select id, hook, :event, :subject, :body::jsonb from unnest(:ids, :hooks) as row (id, hook)
                """)
            .bindArray("ids", UUID.class, ids)
            .bindArray("hooks", String.class, hooks)
            .bind("event", event.word())
            .bind("subject", subject)
            .bind("body", body)
            .execute());
  }

  /**
   * Claims events that are due.
   *
   * @param room the number of events that may be sent now, by hook
   */
  @Transactional
  List<Due> claim(Map<String, Integer> room, Duration lease) {
    var asked = List.copyOf(room.entrySet());
    var claim = Ids.next();
    return jdbi.withHandle(handle ->
        handle
            .createQuery(CLAIM)
            .bindArray("hooks", String.class, asked.stream().map(Map.Entry::getKey).toList())
            .bindArray("room", Integer.class, asked.stream().map(Map.Entry::getValue).toList())
            .bind("claim", claim)
            .bind("leaseMs", lease.toMillis())
            .map((row, _) ->
                new Due(
                    row.getObject("id", UUID.class),
                    claim,
                    row.getString("hook"),
                    row.getString("event"),
                    row.getString("body"),
                    row.getInt("attempts"),
                    row.getTimestamp("created_at").toInstant()))
            .list());
  }

  /** The hook has accepted the event, or will never do so. */
  @Transactional
  void remove(Due row) {
    jdbi.useHandle(handle ->
        handle
            .createUpdate("delete from hook_event where id = :id")
            .bind("id", row.id())
            .execute());
  }

  /** Ends a claim; the event is due again after this time. */
  @Transactional
  void postpone(Due row, Duration after, boolean countsAsAttempt) {
    jdbi.useHandle(handle ->
        handle
            .createUpdate(POSTPONE)
            .bind("id", row.id())
            .bind("claim", row.claim())
            .bind("counts", countsAsAttempt ? 1 : 0)
            .bind("afterMs", after.toMillis())
            .execute());
  }

  /** Deletes events of hooks that no node has any more. */
  @Transactional
  List<Old> deleteOlderThan(Duration age, int batch) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(DELETE_OLD)
            .bind("keepMs", age.toMillis())
            .bind("batch", batch)
            .map((row, _) -> new Old(row.getString("hook"), row.getString("event")))
            .list());
  }
}
