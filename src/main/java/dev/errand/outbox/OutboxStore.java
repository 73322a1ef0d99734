package dev.errand.outbox;

import dev.errand.conversation.Ids;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.event.Events;
import dev.errand.outbox.Delivery.NewDelivery;
import dev.errand.postgres.Statement;
import dev.errand.secret.Secrets;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Writes the results for parents to the outbox, finds those that are due, and settles them. What
 * leaves the service is in {@link OutgoingQueue}.
 */
@Singleton
public class OutboxStore {

  private static final String WRITE =
      """
      insert into outbox (id, tenant, task_id, kind, target, session_id, receiver, stream, state, consumed_at, available_at)
      values (:id, (select tenant from session where id = :session), :task, :kind, :target, :session, :host, :stream, :state,
              case when :state = 'consumed' then clock_timestamp() end,
              greatest(clock_timestamp(), :notBefore::timestamptz))
      """;

  private static final String SETTLE =
      """
      update outbox
      set state = :state, attempts = attempts + 1, last_error = null, claim = null, claimed_until = null,
          delivered_at = case when :state = 'delivered' then clock_timestamp() end
      where id = any((select :ids)::uuid[]) and state = 'pending'
      returning id
      """;

  private static final String COUNT_FAILURE =
      """
      update outbox set attempts = attempts + 1, last_error = :error, claim = null, claimed_until = null
      where id = :id and state = 'pending' and claim is not distinct from :claim
      returning attempts
      """;

  private static final String REDACT =
      """
      update outbox
      set event = case when event is not null then '{}'::jsonb end, redacted = true
      where task_id = :task or callback_task_id = :task
      returning id
      """;

  private static final String POSTPONE =
      """
      update outbox
      set available_at = clock_timestamp() + least(300, power(2, least(attempts, 10))) * interval '1 second'
      where state = 'pending'
        and (id = :id or (session_id = :session and target = 'session' and available_at <= statement_timestamp()))
      """;

  /** Without {@code clock_timestamp()}: it is volatile, so no index condition can contain it. */
  static final String RECEIVERS =
      """
      select session_id, count(*) as rows
      from (
        select session_id, available_at from outbox
        where state = 'pending' and target = 'session' and available_at <= statement_timestamp()
        order by available_at, id
        limit :limit) due
      group by session_id
      order by min(available_at), session_id
      """;

  private static final String ROWS =
      """
      select id from outbox
      where session_id = :to and state = 'pending' and target = 'session' and available_at <= statement_timestamp()
      order by available_at, id
      """;

  public static final String SOME_DUE =
      "exists (select 1 from outbox where state = 'pending' and target = 'session' and available_at <= now())";

  private final Jdbi jdbi;
  private final Events events;

  OutboxStore(Jdbi jdbi, Events events) {
    this.jdbi = jdbi;
    this.events = events;
  }

  /**
   * Writes a row at the end of the transaction that ends its task.
   *
   * @param state other than {@code pending} when there is no need to deliver it
   */
  @Transactional(Transactional.TxType.MANDATORY)
  public void write(NewDelivery delivery, DeliveryState state) {
    var host = delivery.host();
    events.beforeEvents(
        Statement.of(WRITE)
            .bind("id", Ids.next())
            .bind("task", delivery.task())
            .bind("kind", delivery.kind())
            .bind("session", delivery.to())
            .bind("target", host == null ? "session" : "webhook")
            .bind("host", host)
            .bind("stream", host == null ? null : delivery.to().value().toString())
            .bind("state", state)
            .bind("notBefore", delivery.notBefore()));
  }

  /**
   * The sessions with rows that are due, the longest due first.
   *
   * @param more whether there may be others
   */
  public record Receivers(List<SessionId> sessions, boolean more) {}

  private record ReceiverRows(SessionId id, int rows) {}

  /** Returns the rows of one session that are due, the longest due first. */
  public List<UUID> rows(SessionId to) {
    return jdbi.withHandle(
        handle -> handle.createQuery(ROWS).bind("to", to).mapTo(UUID.class).list());
  }

  /**
   * Finds the sessions with rows that are due.
   *
   * @param limit the number of rows that are looked at
   */
  public Receivers receivers(int limit) {
    var found =
        jdbi.withHandle(handle ->
            handle
                .createQuery(RECEIVERS)
                .bind("limit", limit)
                .map((row, _) ->
                    new ReceiverRows(
                        new SessionId(row.getObject("session_id", UUID.class)), row.getInt("rows")))
                .list());
    return new Receivers(
        found.stream().map(ReceiverRows::id).toList(),
        found.stream().mapToInt(ReceiverRows::rows).sum() == limit);
  }

  /**
   * Suppresses the pending deliveries to a stopped session, except its own messages and what goes
   * to the callbacks of its tasks. Called after the session was locked.
   */
  @Transactional(Transactional.TxType.MANDATORY)
  public void suppressFor(SessionId session) {
    jdbi.useHandle(handle ->
        handle.execute(
            """
            update outbox set state = 'suppressed'
            where session_id = ? and state = 'pending' and task_id is not null
            """,
            session));
  }

  /**
   * Deletes the rows of the session's own messages, posted or not; the rows of its tasks are
   * deleted with the tasks, too, and events for hooks outlive the session. Called after the session
   * was locked.
   */
  @Transactional(Transactional.TxType.MANDATORY)
  public void deleteMessagesOf(SessionId session) {
    jdbi.useHandle(handle ->
        handle.execute(
            "delete from outbox where session_id = ? and task_id is null and target <> 'hook'",
            session));
  }

  /**
   * Blanks what was delivered for a task, after its delivery. Idempotent.
   *
   * @return the rows
   */
  @Transactional(Transactional.TxType.MANDATORY)
  public List<UUID> redact(TaskId task) {
    return jdbi.withHandle(
        handle -> handle.createQuery(REDACT).bind("task", task).mapTo(UUID.class).list());
  }

  /** Settles those of the rows that are pending, and returns their ids. */
  @Transactional(Transactional.TxType.MANDATORY)
  public Set<UUID> settle(List<UUID> ids, DeliveryState state) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(SETTLE)
            .bindArray("ids", UUID.class, ids)
            .bind("state", state)
            .mapTo(UUID.class)
            .collect(Collectors.toSet()));
  }

  /**
   * Counts a failed attempt and ends the claim.
   *
   * @param claim the claim of the attempt; null for rows that are not claimed
   * @return the number of failed attempts; empty when the row is settled or claimed by another node
   *     by now
   */
  @Transactional(Transactional.TxType.MANDATORY)
  public Optional<Integer> countFailure(UUID id, @Nullable UUID claim, String error) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(COUNT_FAILURE)
            .bind("id", id)
            .bind("claim", claim)
            .bind("error", Secrets.masked(error))
            .mapTo(Integer.class)
            .findOne());
  }

  /** Postpones the next attempt, longer after each failed one: 1 s, 2 s, 4 s … at most 5 min. */
  @Transactional
  public void postpone(UUID id) {
    postpone(id, null);
  }

  /** Postpones everything that is due to a session. */
  @Transactional
  public void postpone(SessionId to) {
    postpone(null, to.value());
  }

  private void postpone(@Nullable UUID id, @Nullable UUID session) {
    jdbi.useHandle(
        handle -> handle.createUpdate(POSTPONE).bind("id", id).bind("session", session).execute());
  }
}
