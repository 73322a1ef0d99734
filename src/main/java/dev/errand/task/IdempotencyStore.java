package dev.errand.task;

import dev.errand.conversation.TaskId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/** Idempotency keys. Each key is valid for 7 days. */
@ApplicationScoped
public class IdempotencyStore {

  private static final String ROUTE = "POST /v1/tasks";

  private static final String DELETE_EXPIRED =
      """
      delete from idempotency_key
      where (tenant, route, key) in (
        select tenant, route, key from idempotency_key
        where expires_at < now() order by expires_at limit :batch for update skip locked)
      """;

  private final Jdbi jdbi;

  IdempotencyStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** The request and the task of a key. */
  record Use(String bodySha256, TaskId task) {}

  /** The use of a key; an expired key counts as unused and is deleted. */
  @Transactional(Transactional.TxType.MANDATORY)
  Optional<Use> find(String key) {
    return jdbi.withHandle(handle -> {
      handle.execute(
          "delete from idempotency_key where route = ? and key = ? and expires_at < now()",
          ROUTE,
          key);
      return handle
          .createQuery(
              """
              select body_sha256, task_id from idempotency_key
              where tenant = 'default' and route = :route and key = :key
              """)
          .bind("route", ROUTE)
          .bind("key", key)
          .map((row, _) ->
              new Use(
                  row.getString("body_sha256"), new TaskId(row.getObject("task_id", UUID.class))))
          .findOne();
    });
  }

  /**
   * Takes a key. Waits for another transaction that is taking the same key.
   *
   * @return false when the key is taken already
   */
  @Transactional(Transactional.TxType.MANDATORY)
  boolean take(TaskSubmission.IdempotencyKey key, TaskId task) {
    return jdbi.withHandle(handle ->
        handle
            .createUpdate(
                """
                insert into idempotency_key (tenant, route, key, body_sha256, task_id, expires_at)
                values ('default', :route, :key, :body, :task, now() + interval '7 days')
                on conflict do nothing
                """)
            .bind("route", ROUTE)
            .bind("key", key.value())
            .bind("body", key.bodySha256())
            .bind("task", task.value())
            .execute())
        == 1;
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
