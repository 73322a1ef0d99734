package dev.errand.task;

import dev.errand.auth.Callers;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.postgres.SqlErrors;
import dev.errand.secret.Secrets;
import jakarta.inject.Singleton;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * Stores the idempotency keys of requests. Each key is valid for 7 days, for the client that sent
 * it. Its rows are locked after those of sessions.
 */
@Singleton
public class IdempotencyStore {

  private static final String LOCK_TIMEOUT = "55P03";

  private static final String TAKE =
      """
      insert into idempotency_key (tenant, scope, key, body_sha256, task_id, session_id, message_id, output, expires_at)
      values (:tenant, :scope, :key, :body, :task, :session, :message, :output, now() + interval '7 days')
      on conflict (tenant, scope, key) do update
      set body_sha256 = excluded.body_sha256, task_id = excluded.task_id, session_id = excluded.session_id,
          message_id = excluded.message_id, output = excluded.output,
          created_at = excluded.created_at, expires_at = excluded.expires_at
      where idempotency_key.expires_at < now()
      """;

  private static final String DELETE_EXPIRED =
      """
      delete from idempotency_key
      where (tenant, scope, key) in (
        select tenant, scope, key from idempotency_key
        where expires_at < now() order by expires_at limit :batch for update skip locked)
      """;

  private final Jdbi jdbi;
  private final TransactionSynchronizationRegistry transactions;
  private final Callers callers;

  IdempotencyStore(Jdbi jdbi, TransactionSynchronizationRegistry transactions, Callers callers) {
    this.jdbi = jdbi;
    this.transactions = transactions;
    this.callers = callers;
  }

  /** A request that was accepted with a key. */
  public record KeyUse(String bodySha256, KeyedResult made) {}

  /** Returns the use of a key; an expired key counts as unused. */
  public Optional<KeyUse> find(IdempotencyKey key) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select body_sha256, task_id, session_id, message_id, output from idempotency_key
                where tenant = :tenant and scope = :scope and key = :key and expires_at >= now()
                """)
            .bind("tenant", callers.tenant())
            .bind("scope", key.scope())
            .bind("key", ofCaller(key))
            .map((row, _) -> new KeyUse(row.getString("body_sha256"), made(row)))
            .findOne());
  }

  /** A key has no line feed, so the keys of different callers differ. */
  private String ofCaller(IdempotencyKey key) {
    var owner = callers.owner();
    return owner == null ? key.value() : owner + "\n" + key.value();
  }

  private static KeyedResult made(ResultSet row) throws SQLException {
    return new KeyedResult(
        id(row, "task_id", TaskId::new),
        id(row, "session_id", SessionId::new),
        id(row, "message_id", MessageId::new),
        row.getString("output"));
  }

  private static <T> @Nullable T id(ResultSet row, String column, Function<UUID, T> id)
      throws SQLException {
    var value = row.getObject(column, UUID.class);
    return value == null ? null : id.apply(value);
  }

  /** The outcome of work that was done with a key. */
  public sealed interface KeyedWork<T> {

    /** The work is done, and the key is taken. */
    record WorkDone<T>(T result) implements KeyedWork<T> {}

    /** Another request has taken the key. The work is rolled back. */
    record KeyTaken<T>() implements KeyedWork<T> {}
  }

  /**
   * Does some work and takes the key in the same transaction.
   *
   * @param key null: there is no key to take
   */
  @Transactional
  public <T> KeyedWork<T> first(@Nullable IdempotencyKey key, KeyedResult made, Supplier<T> work) {
    var result = work.get();
    if (key == null || take(key, made)) {
      return new KeyedWork.WorkDone<>(result);
    }
    transactions.setRollbackOnly();
    return new KeyedWork.KeyTaken<>();
  }

  /**
   * Takes a key that is unused or expired. Waits for another transaction that is taking the same
   * key.
   *
   * @return false when the key is taken already
   * @throws IdempotencyKey.InFlightException the other transaction takes too long
   */
  @Transactional(Transactional.TxType.MANDATORY)
  boolean take(IdempotencyKey key, KeyedResult made) {
    try {
      return jdbi.withHandle(handle ->
          handle
              .createUpdate(TAKE)
              .bind("tenant", callers.tenant())
              .bind("scope", key.scope())
              .bind("key", ofCaller(key))
              .bind("body", key.bodySha256())
              .bind("task", made.task())
              .bind("session", made.session())
              .bind("message", made.message())
              .bind("output", made.output() == null ? null : Secrets.masked(made.output()))
              .execute())
          == 1;
    } catch (JdbiException fault) {
      if (SqlErrors.in(fault).filter(sql -> LOCK_TIMEOUT.equals(sql.getSQLState())).isPresent()) {
        throw new IdempotencyKey.InFlightException(fault);
      }
      throw fault;
    }
  }

  /** Makes a key unused again, if it was taken for this task. */
  @Transactional
  public void free(IdempotencyKey key, TaskId task) {
    jdbi.useHandle(handle ->
        handle
            .createUpdate(
                """
                delete from idempotency_key
                where tenant = :tenant and scope = :scope and key = :key and task_id = :task
                """)
            .bind("tenant", callers.tenant())
            .bind("scope", key.scope())
            .bind("key", ofCaller(key))
            .bind("task", task)
            .execute());
  }

  /**
   * Deletes expired keys.
   *
   * @return the number of deleted keys
   */
  @Transactional
  public int deleteExpired(int limit) {
    return jdbi.withHandle(
        handle -> handle.createUpdate(DELETE_EXPIRED).bind("batch", limit).execute());
  }
}
