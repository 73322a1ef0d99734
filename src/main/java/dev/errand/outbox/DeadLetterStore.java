package dev.errand.outbox;

import dev.errand.conversation.DeliveryId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.secret.Secrets;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** The transitions of outbox rows into the state {@code dead} and out of it. */
@Singleton
public class DeadLetterStore {

  private static final String MARK_DEAD =
      """
      update outbox
      set state = 'dead', dead_at = clock_timestamp(), last_error = :error, claim = null, claimed_until = null
      where id = :id and state = 'pending'
      returning coalesce(task_id, callback_task_id) as task_id, session_id, target, attempts
      """;

  private static final String FIND =
      """
      select state, kind, session_id as session, coalesce(callback_task_id, session_id) as callback, task_id as task
      from outbox where id = :id
      """;

  private static final String LOCK =
      """
      select state, kind, session_id as session, coalesce(callback_task_id, session_id) as callback, task_id as task
      from outbox where id = :id for no key update
      """;

  private static final String REVIVE =
      """
      update outbox
      set state = 'pending', attempts = 0, available_at = clock_timestamp(), dead_at = null, out_of_turn = sequence is not null
      where id = :id
      """;

  private final Jdbi jdbi;

  DeadLetterStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * A row that is dead now.
   *
   * @param task null for a message of the session itself
   */
  public record DeadDelivery(
      DeliveryId id,
      SessionId session,
      @Nullable TaskId task,
      String target,
      int attempts,
      String error) {}

  /**
   * A row.
   *
   * @param callback the session or the task whose callback it may be posted to
   * @param task null for a message of the session itself
   */
  public record FoundDelivery(
      DeliveryState state,
      DeliveryKind kind,
      SessionId session,
      UUID callback,
      @Nullable TaskId task) {}

  /**
   * Marks a pending row as dead, by the only statement that does so; returns empty when the row is
   * not pending.
   */
  @Transactional(TxType.MANDATORY)
  public Optional<DeadDelivery> markDead(UUID id, String problem) {
    var error = Secrets.masked(problem);
    return jdbi.withHandle(handle ->
        handle
            .createQuery(MARK_DEAD)
            .bind("id", id)
            .bind("error", error)
            .map((row, _) ->
                new DeadDelivery(
                    new DeliveryId(id),
                    new SessionId(row.getObject("session_id", UUID.class)),
                    task(row),
                    row.getString("target"),
                    row.getInt("attempts"),
                    error))
            .findOne());
  }

  /** Returns a row; empty when it does not exist. */
  public Optional<FoundDelivery> find(DeliveryId id) {
    return find(FIND, id);
  }

  /** Locks a row, so that its state stays the same until the transaction ends. */
  @Transactional(TxType.MANDATORY)
  public Optional<FoundDelivery> lock(DeliveryId id) {
    return find(LOCK, id);
  }

  private Optional<FoundDelivery> find(String sql, DeliveryId id) {
    return jdbi.withHandle(
        handle -> handle.createQuery(sql).bind("id", id).mapTo(FoundDelivery.class).findOne());
  }

  /**
   * Makes a locked dead row pending and due, with all its attempts before it. Later posts to its
   * callback do not wait for it.
   */
  @Transactional(TxType.MANDATORY)
  public void revive(DeliveryId id) {
    execute(REVIVE, id);
  }

  /** Dismisses a locked dead row. */
  @Transactional(TxType.MANDATORY)
  public void dismiss(DeliveryId id) {
    execute("update outbox set state = 'suppressed' where id = :id", id);
  }

  private void execute(String sql, DeliveryId id) {
    jdbi.useHandle(handle -> handle.createUpdate(sql).bind("id", id).execute());
  }

  private static @Nullable TaskId task(ResultSet row) throws SQLException {
    var id = row.getObject("task_id", UUID.class);
    return id == null ? null : new TaskId(id);
  }
}
