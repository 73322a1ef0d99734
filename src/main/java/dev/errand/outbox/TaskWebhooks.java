package dev.errand.outbox;

import dev.errand.conversation.Ids;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.event.CloudEvent;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.outbox.Delivery.DeliveryKind;
import dev.errand.postgres.Json;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Writes the events of a task to the outbox for the callback of the task, in the transaction of the
 * event. Nothing is written when the receiver has disabled the callback.
 */
@Singleton
public class TaskWebhooks {

  private static final String INSERT =
      """
      insert into outbox (id, tenant, callback_task_id, kind, target, session_id, lane, event, available_at)
      values (:id, (select tenant from session where id = :session), :task, :kind, 'task_webhook', :session, :lane, :event::jsonb, clock_timestamp())
      """;

  private static final String FORGET_FAILED =
      """
      delete from outbox
      where callback_task_id = :task and kind = 'progress' and state = 'pending' and attempts > 0
        and (claimed_until is null or claimed_until < clock_timestamp())
      """;

  /** Not while it is posted. */
  private static final String REPLACE_PROGRESS =
      """
      update outbox set event = :event::jsonb
      where callback_task_id = :task and kind = 'progress' and state = 'pending'
        and (claimed_until is null or claimed_until < clock_timestamp())
      """;

  private final Jdbi jdbi;
  private final CallbackStore callbacks;
  private final Json json;
  private final Hints hints;

  TaskWebhooks(Jdbi jdbi, CallbackStore callbacks, Json json, Hints hints) {
    this.jdbi = jdbi;
    this.callbacks = callbacks;
    this.json = json;
    this.hints = hints;
  }

  /** Posts the start of a task. */
  @Transactional(TxType.MANDATORY)
  public void sendStart(TaskId task, SessionId parent, CloudEvent.What event) {
    insert(task, parent, DeliveryKind.EVENT, event);
  }

  /**
   * Posts the end of a task, which is rendered when it is posted. It does not wait for progress
   * that failed and is to be repeated.
   */
  @Transactional(TxType.MANDATORY)
  public void sendEnd(TaskId task, SessionId parent) {
    jdbi.useHandle(
        handle -> handle.createUpdate(FORGET_FAILED).bind("task", task.value()).execute());
    insert(task, parent, DeliveryKind.EVENT, null);
  }

  /**
   * Posts the progress of a task. It takes the place of an earlier one that is not posted yet, so
   * that a receiver that does not answer collects none.
   */
  @Transactional(TxType.MANDATORY)
  public void sendProgress(TaskId task, SessionId parent, CloudEvent.What event) {
    var replaced =
        jdbi.withHandle(handle ->
            handle
                .createUpdate(REPLACE_PROGRESS)
                .bind("task", task.value())
                .bind("event", json.write(event))
                .execute());
    if (replaced == 0) {
      insert(task, parent, DeliveryKind.PROGRESS, event);
    }
  }

  private void insert(
      TaskId task, SessionId parent, DeliveryKind kind, CloudEvent.@Nullable What event) {
    callbacks
        .lane(task.value())
        .ifPresent(lane -> {
          jdbi.useHandle(handle ->
              handle
                  .createUpdate(INSERT)
                  .bind("id", Ids.next())
                  .bind("task", task.value())
                  .bind("kind", kind.word())
                  .bind("session", parent.value())
                  .bind("lane", lane)
                  .bind("event", event == null ? null : json.write(event))
                  .execute());
          hints.afterCommit(Topic.WEBHOOKS);
        });
  }
}
