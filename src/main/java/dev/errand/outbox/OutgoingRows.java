package dev.errand.outbox;

import dev.errand.conversation.Ids;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Writes rows that leave the service, and records what became of their attempts. */
@Singleton
public class OutgoingRows {

  private static final String WRITE =
      """
      insert into outbox (id, tenant, message_id, callback_task_id, kind, target, session_id, receiver, stream, event, available_at)
      values (:id, (select tenant from session where id = :session), :message, :task, :kind, :target, :session, :receiver, :stream,
              :event::jsonb, clock_timestamp())
      on conflict (message_id) do nothing
      """;

  /** Not while it is sent. */
  private static final String REPLACE_PROGRESS =
      """
      update outbox set event = :event::jsonb
      where callback_task_id = :task and kind = 'progress' and state = 'pending'
        and (claimed_until is null or claimed_until < clock_timestamp())
      """;

  private static final String FORGET_FAILED =
      """
      delete from outbox
      where callback_task_id = :task and kind = 'progress' and state = 'pending' and attempts > 0
        and (claimed_until is null or claimed_until < clock_timestamp())
      """;

  private static final String RELEASE =
      """
      update outbox
      set claim = null, claimed_until = null,
          available_at = clock_timestamp() + :afterMs * interval '1 millisecond',
          out_of_turn = out_of_turn or (:outOfTurn and sequence is not null)
      where id = :id and state = 'pending' and claim is not distinct from :claim
      """;

  /** By the index of rows without a number: those that follow a numbered one have none yet. */
  private static final String FOLLOWED =
      """
      select exists (
        select 1 from outbox
        where stream = (select stream from outbox post where post.id = :id) and state = 'pending' and target <> 'session'
          and sequence is null and id <> :id)
      """;

  private static final String DELETE_OLD =
      """
      delete from outbox
      where id in (
        select id from outbox
        where target = 'hook' and created_at < statement_timestamp() - :keepMs * interval '1 millisecond'
        limit :batch
        for update skip locked)
      returning receiver as hook, event ->> 'event' as event
      """;

  private final Jdbi jdbi;
  private final OutboxStore outbox;
  private final Hints hints;

  OutgoingRows(Jdbi jdbi, OutboxStore outbox, Hints hints) {
    this.jdbi = jdbi;
    this.outbox = outbox;
    this.hints = hints;
  }

  /**
   * A row to write.
   *
   * @param about the session whose event it is
   * @param message that is posted, so that it is posted once; null for another row
   * @param task whose callback gets it; null for another receiver
   * @param stream rows of one stream are sent one after the other
   * @param receiver the host of the callback, or the name of the hook
   * @param event JSON; null for the end of a task, which is rendered when it is posted
   */
  public record NewRow(
      DeliveryKind kind,
      SessionId about,
      @Nullable MessageId message,
      @Nullable TaskId task,
      String stream,
      String receiver,
      @Nullable String event) {

    private String target() {
      return switch (kind) {
        case HOOK -> "hook";
        case EVENT, PROGRESS -> "task_webhook";
        case MESSAGE, NOTICE, TOOL_RESULT -> "webhook";
      };
    }
  }

  /** Writes a row in the transaction of its event. A message is written once. */
  @Transactional(TxType.MANDATORY)
  public void write(NewRow row) {
    var message = row.message();
    var task = row.task();
    jdbi.useHandle(handle ->
        handle
            .createUpdate(WRITE)
            .bind("id", Ids.next())
            .bind("message", message)
            .bind("task", task)
            .bind("kind", row.kind())
            .bind("target", row.target())
            .bind("session", row.about())
            .bind("receiver", row.receiver())
            .bind("stream", row.stream())
            .bind("event", row.event())
            .execute());
    hints.afterCommit(Topic.OUTGOING);
  }

  /** Writes the progress of a task in the place of an earlier one that was not sent yet. */
  @Transactional(TxType.MANDATORY)
  public void writeProgress(TaskId task, NewRow row) {
    var replaced =
        jdbi.withHandle(handle ->
            handle
                .createUpdate(REPLACE_PROGRESS)
                .bind("task", task)
                .bind("event", row.event())
                .execute());
    if (replaced == 0) {
      write(row);
    }
  }

  /** Deletes the progress of a task that failed and would be repeated. */
  @Transactional(TxType.MANDATORY)
  public void forgetFailedProgress(TaskId task) {
    jdbi.useHandle(handle -> handle.createUpdate(FORGET_FAILED).bind("task", task).execute());
  }

  /**
   * Records that the receiver has accepted the row. Returns true also for a claim that has expired.
   *
   * @return false when the row is no longer pending
   */
  @Transactional(TxType.MANDATORY)
  public boolean delivered(ClaimedDelivery row) {
    return !outbox.settle(List.of(row.delivery().id()), DeliveryState.DELIVERED).isEmpty();
  }

  /**
   * Counts a failed attempt and ends the claim.
   *
   * @return the number of failed attempts; empty when the claim has expired and is another node's
   */
  @Transactional(TxType.MANDATORY)
  public Optional<Integer> failed(ClaimedDelivery row, String error) {
    return outbox.countFailure(row.delivery().id(), row.claim(), error);
  }

  /**
   * Sets when the next attempt is due; called after {@link #failed}. Idempotent.
   *
   * @param outOfTurn whether later rows of the stream no longer wait for this one
   */
  @Transactional(TxType.MANDATORY)
  public void postpone(UUID id, Duration after, boolean outOfTurn) {
    release(id, null, after, outOfTurn);
  }

  /** Ends a claim whose attempt could not be made; it does not count as an attempt. */
  @Transactional
  public void releaseClaim(ClaimedDelivery row, Duration after) {
    release(row.delivery().id(), row.claim(), after, false);
  }

  private void release(UUID id, @Nullable UUID claim, Duration after, boolean outOfTurn) {
    jdbi.useHandle(handle ->
        handle
            .createUpdate(RELEASE)
            .bind("id", id)
            .bind("claim", claim)
            .bind("afterMs", after.toMillis())
            .bind("outOfTurn", outOfTurn)
            .execute());
  }

  /** Returns whether a later row of its stream waits for this one, which is in turn. */
  @Transactional(TxType.MANDATORY)
  public boolean isFollowed(UUID id) {
    return jdbi.withHandle(
        handle -> handle.createQuery(FOLLOWED).bind("id", id).mapTo(Boolean.class).one());
  }

  /** Deletes a pending row that was accepted, or is given up, and of which nothing is kept. */
  @Transactional
  public void remove(UUID id) {
    jdbi.useHandle(
        handle -> handle.execute("delete from outbox where id = ? and state = 'pending'", id));
  }

  /** An event that was deleted without having been accepted by its hook. */
  public record DroppedEvent(String hook, String event) {}

  /** Deletes events of hooks that no node has any more. */
  @Transactional
  public List<DroppedEvent> deleteHookEvents(Duration age, int batch) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(DELETE_OLD)
            .bind("keepMs", age.toMillis())
            .bind("batch", batch)
            .mapTo(DroppedEvent.class)
            .list());
  }
}
