package dev.errand.session;

import dev.errand.conversation.SessionId;
import dev.errand.postgres.Json;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * Inserts the entries of outbox rows into the inbox of one session, or the messages of an external
 * one, with what follows for the session, in one statement. Called under the lock of the session's
 * row.
 */
@Singleton
class FreshEntries {

  private static final String PUT =
      """
      insert into inbox (id, session_id, kind, body, source_outbox_id, generation, trace_parent, consumed_at)
      select id, :session, kind, body::jsonb, outbox, generation, trace, case when consumed then now() end
      from unnest(:ids, :kinds, :bodies, :outboxes, :generations, :traces, :consumed) with ordinality
           as fresh (id, kind, body, outbox, generation, trace, consumed, place)
      order by place
      on conflict (source_outbox_id) do nothing
      returning id
      """;

  /** The change of the session is that of {@link Mailbox}. */
  private static final String PUT_AND_QUEUE =
      """
      with put as (
        insert into inbox (id, session_id, kind, body, source_outbox_id, generation, trace_parent, consumed_at)
        select id, :session, kind, body::jsonb, outbox, generation, trace, case when consumed then now() end
        from unnest(:ids, :kinds, :bodies, :outboxes, :generations, :traces, :consumed) with ordinality
             as fresh (id, kind, body, outbox, generation, trace, consumed, place)
        order by place
        on conflict (source_outbox_id) do nothing
        returning id)
      update session
      set state = 'queued', queued_at = clock_timestamp(), job_id = :job, updated_at = now(),
          trace_parent = coalesce(:trace, trace_parent),
          waits_for = null, waits_since = null, waits_until = null, waits_order = null, waits_on = null,
          stopped_at = case when not (state = 'idle' and :restarts) then stopped_at end,
          model_away_since = case when state <> 'idle' then model_away_since end,
          model_tries = case when state <> 'idle' then model_tries else 0 end,
          run_turns = case when (state = 'idle' or waits_for = 'below') and (:restarts or parent_id is null) then 0 else run_turns end
      where id = :session and exists (select 1 from put where put.id = any(:waking))
      returning 1
      """;

  private static final String PUT_INTO_MESSAGES =
      """
      with fresh as (
        select *
        from unnest((select :ids)::uuid[], (select :contents)::text[], (select :tasks)::uuid[], (select :outboxes)::uuid[])
             with ordinality as fresh (id, content, task, outbox, place)
        where not exists (select 1 from message where delivery_id = fresh.outbox)),
      parent as (
        update session set next_seq = next_seq + (select count(*) from fresh), updated_at = now()
        where id = :session and exists (select 1 from fresh)
        returning next_seq as next, epoch)
      insert into message (session_id, seq, id, role, kind, content, epoch, input_tokens, cached_input_tokens, output_tokens,
                           task_id, delivery_id)
      select :session, next - row_number() over (order by place desc), id, 'user', 'notice', content::json, epoch, 0, 0, 0,
             task, outbox
      from fresh cross join parent
      returning id, seq, created_at
      """;

  private final Jdbi jdbi;
  private final Json json;

  FreshEntries(Jdbi jdbi, Json json) {
    this.jdbi = jdbi;
    this.json = json;
  }

  /**
   * The entry of an outbox row.
   *
   * @param id becomes the id of its message
   * @param trace of its delivery; null when that is not traced
   * @param consumed whether it is read in this transaction
   */
  record FreshEntry(
      UUID id,
      UUID outbox,
      int generation,
      @Nullable String trace,
      InboxEntry entry,
      boolean consumed) {}

  /**
   * The job and the counts of a session that is queued.
   *
   * @param restarts whether the count of a child's turns starts again
   */
  record QueuedWake(UUID job, boolean restarts) {}

  /** An entry that became a message. */
  record ReadEntry(FreshEntry entry, long seq, Instant createdAt) {}

  /** Inserts entries; returns those whose outbox row had no entry. */
  @Transactional(Transactional.TxType.MANDATORY)
  List<FreshEntry> put(SessionId session, List<FreshEntry> entries) {
    if (entries.isEmpty()) {
      return List.of();
    }
    var put = jdbi.withHandle(handle -> all(handle, PUT, session, entries).mapTo(UUID.class).set());
    return entries.stream().filter(entry -> put.contains(entry.id())).toList();
  }

  /**
   * Inserts entries and marks their session as queued.
   *
   * @param waking the entries that wake the session
   * @return false when it is not queued, because their outbox rows have entries already
   */
  @Transactional(Transactional.TxType.MANDATORY)
  boolean putAndQueue(
      SessionId session, List<FreshEntry> entries, List<FreshEntry> waking, QueuedWake wake) {
    return jdbi.withHandle(handle ->
        all(handle, PUT_AND_QUEUE, session, entries)
            .bind("job", wake.job())
            .bind("restarts", wake.restarts())
            .bind("trace", waking.getFirst().trace())
            .bindArray("waking", UUID.class, waking.stream().map(FreshEntry::id).toList())
            .mapTo(Integer.class)
            .findOne()
            .isPresent());
  }

  /** Appends notices to the messages of their session; returns those that are not there already. */
  @Transactional(Transactional.TxType.MANDATORY)
  List<ReadEntry> putIntoMessages(SessionId session, List<FreshEntry> notices) {
    if (notices.isEmpty()) {
      return List.of();
    }
    var contents =
        notices.stream()
            .map(notice -> json.write(notice.entry().asMessage().content(), NewMessages.CONTENT))
            .toList();
    var byId = new HashMap<UUID, Integer>();
    notices.forEach(notice -> byId.put(notice.id(), byId.size()));
    return jdbi.withHandle(handle ->
        handle
            .createQuery(PUT_INTO_MESSAGES)
            .bind("session", session)
            .bindArray("ids", UUID.class, notices.stream().map(FreshEntry::id).toList())
            .bindArray("contents", String.class, contents)
            .bindArray("tasks", UUID.class, notices.stream().map(FreshEntries::task).toList())
            .bindArray("outboxes", UUID.class, notices.stream().map(FreshEntry::outbox).toList())
            .map((row, _) -> {
              int place = Objects.requireNonNull(byId.get(row.getObject("id", UUID.class)));
              return new ReadEntry(
                  notices.get(place),
                  row.getLong("seq"),
                  row.getTimestamp("created_at").toInstant());
            })
            .list());
  }

  private static @Nullable UUID task(FreshEntry notice) {
    var task = notice.entry().task();
    return task == null ? null : task.value();
  }

  private Query all(Handle handle, String sql, SessionId session, List<FreshEntry> entries) {
    return handle
        .createQuery(sql)
        .bind("session", session)
        .bindArray("ids", UUID.class, entries.stream().map(FreshEntry::id).toList())
        .bindArray("kinds", String.class, entries.stream().map(one -> one.entry().kind()).toList())
        .bindArray(
            "bodies", String.class, entries.stream().map(one -> json.write(one.entry())).toList())
        .bindArray("outboxes", UUID.class, entries.stream().map(FreshEntry::outbox).toList())
        .bindArray(
            "generations", Integer.class, entries.stream().map(FreshEntry::generation).toList())
        .bindArray("traces", String.class, entries.stream().map(FreshEntry::trace).toList())
        .bindArray("consumed", Boolean.class, entries.stream().map(FreshEntry::consumed).toList());
  }
}
