package dev.errand.outbox;

import dev.errand.outbox.Delivery.ClaimedDelivery;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/** Posts of the progress of a task that were in flight: whether they are worth another attempt. */
@Singleton
public class ProgressPosts {

  /** By the index of posts without a number: those that follow a numbered one have none yet. */
  private static final String FOLLOWED =
      """
      select exists (
        select 1 from outbox
        where coalesce(callback_task_id, session_id) = :callback and state = 'pending' and target <> 'session'
          and sequence is null and id <> :id)
      """;

  private final Jdbi jdbi;

  ProgressPosts(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Whether a later post to the same callback waits for this one, which is in turn. */
  @Transactional(TxType.MANDATORY)
  public boolean isFollowed(ClaimedDelivery post) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(FOLLOWED)
            .bind("callback", post.callback())
            .bind("id", post.delivery().id())
            .mapTo(Boolean.class)
            .one());
  }

  /** Deletes a post of progress that was accepted, or is given up. */
  @Transactional(TxType.MANDATORY)
  public void forget(UUID id) {
    jdbi.useHandle(handle ->
        handle.execute(
            "delete from outbox where id = ? and kind = 'progress' and state = 'pending'", id));
  }
}
