package dev.errand.outbox;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.sql.Timestamp;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/** The outbox table. */
@ApplicationScoped
public class OutboxStore {

  private static final String WRITE =
      """
      insert into outbox (id, task_id, kind, target, session_id, payload, state, available_at)
      values (:id, :task, :kind, 'session', :session, :payload::jsonb, :state,
              greatest(clock_timestamp(), :notBefore::timestamptz))
      """;

  private static final String DUE =
      """
      select id, session_id, target, payload, created_at
      from outbox
      where state = 'pending' and available_at <= clock_timestamp()
      order by available_at, id
      limit :limit
      """;

  private static final String SETTLE =
      """
      update outbox
      set state = :state, attempts = attempts + 1, last_error = null,
          delivered_at = case when :state = 'delivered' then clock_timestamp() end
      where id = :id and state = 'pending'
      """;

  private static final String CONSUME =
      """
      update outbox set state = 'consumed', consumed_at = clock_timestamp()
      where task_id = :task and state = 'pending'
      """;

  private static final String RELEASE =
      "update outbox set available_at = clock_timestamp() where task_id = :task and state = 'pending'";

  private static final String POSTPONE =
      """
      update outbox
      set attempts = attempts + 1, last_error = :error,
          available_at = clock_timestamp() + least(300, power(2, least(attempts, 10))) * interval '1 second'
      where id = :id and state = 'pending'
      """;

  private final Jdbi jdbi;

  OutboxStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Writes a row in the transaction that ends its task. */
  @Transactional(Transactional.TxType.MANDATORY)
  public void write(NewDelivery delivery) {
    insert(delivery, "pending");
  }

  /** Writes a row that nobody waits for any more: its parent was stopped with the task. */
  @Transactional(Transactional.TxType.MANDATORY)
  public void writeSuppressed(NewDelivery delivery) {
    insert(delivery, "suppressed");
  }

  private void insert(NewDelivery delivery, String state) {
    jdbi.useHandle(handle ->
        handle
            .createUpdate(WRITE)
            .bind("id", UuidCreator.getTimeOrderedEpoch())
            .bind("task", delivery.task().value())
            .bind("kind", delivery.kind())
            .bind("session", delivery.to().value())
            .bind("payload", delivery.payload())
            .bind("state", state)
            .bind(
                "notBefore",
                delivery.notBefore() == null ? null : Timestamp.from(delivery.notBefore()))
            .execute());
  }

  /**
   * The caller has the result already: a notice that is still pending is not sent. Twice is once.
   */
  @Transactional
  public void consume(TaskId task) {
    jdbi.useHandle(handle -> handle.createUpdate(CONSUME).bind("task", task.value()).execute());
  }

  /**
   * The session was stopped: what is still on its way to it is not sent. After the session's own
   * lock.
   */
  @Transactional(Transactional.TxType.MANDATORY)
  public void suppressFor(SessionId session) {
    jdbi.useHandle(handle ->
        handle.execute(
            "update outbox set state = 'suppressed' where session_id = ? and state = 'pending'",
            session.value()));
  }

  /** The caller waits no more: a notice held back for it is due now. */
  @Transactional
  public void release(TaskId task) {
    jdbi.useHandle(handle -> handle.createUpdate(RELEASE).bind("task", task.value()).execute());
  }

  /**
   * The rows that are due, the longest waiting first. Two nodes may see the same; only one can
   * settle it.
   */
  List<Delivery> due(int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(DUE)
            .bind("limit", limit)
            .map((row, _) ->
                new Delivery(
                    row.getObject("id", UUID.class),
                    new SessionId(row.getObject("session_id", UUID.class)),
                    row.getString("target"),
                    row.getString("payload"),
                    row.getTimestamp("created_at").toInstant()))
            .list());
  }

  /**
   * @return false when somebody else settled it
   */
  @Transactional(Transactional.TxType.MANDATORY)
  boolean settle(UUID id, String state) {
    return jdbi.withHandle(
            handle -> handle.createUpdate(SETTLE).bind("id", id).bind("state", state).execute())
        == 1;
  }

  @Transactional
  void postpone(UUID id, String error) {
    jdbi.useHandle(
        handle -> handle.createUpdate(POSTPONE).bind("id", id).bind("error", error).execute());
  }
}
