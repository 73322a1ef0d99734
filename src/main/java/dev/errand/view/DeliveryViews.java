package dev.errand.view;

import dev.errand.conversation.DeliveryId;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.outbox.DeliveryState;
import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.inject.Singleton;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.Subselect;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

/** Shows deliveries. */
@Singleton
public class DeliveryViews {

  private final Reader reader;
  private final Visibility visibility;

  DeliveryViews(Reader reader, Visibility visibility) {
    this.reader = reader;
    this.visibility = visibility;
  }

  public Optional<DeliveryView> find(DeliveryId id) {
    return reader.first(() -> DeliveryRow.find("id", id.value()), DeliveryView::of);
  }

  public Slice<DeliveryView> page(DeliveryFilter filter, Listing page) {
    var session = filter.session();
    var task = filter.task();
    var where =
        visibility
            .conditions("sessionId")
            .whereAny(
                "state in :states",
                "states",
                filter.states().stream().map(DeliveryState::word).toList())
            .where("sessionId = :session", "session", session == null ? null : session.value())
            .where("taskId = :task", "task", task == null ? null : task.value())
            .created(filter.created())
            .page(page);
    return reader.page(
        () -> DeliveryRow.find(where.text(), page.sort(), where.values()),
        page.limit(),
        DeliveryView::of);
  }

  /** The deliveries that a list shows; null and empty mean any. */
  public record DeliveryFilter(
      List<DeliveryState> states,
      @Nullable SessionId session,
      @Nullable TaskId task,
      Period created) {}

  /**
   * A delivery to a session or its callback, as operators see it. One component per field of the
   * wire format.
   *
   * @param taskId the task whose end is delivered, or whose callback gets an event; null for a
   *     message of the session itself
   * @param messageId the message that is posted; null for a task's result
   * @param sessionId the task's parent, or the session that sends the message
   * @param kind {@code notice}, {@code tool_result} or {@code message}; {@code event} or {@code
   *     progress} for the callback of a task
   * @param target {@code session}, {@code webhook}, or {@code task_webhook} for the callback of a
   *     task
   * @param nextAttemptAt when it is due; null unless it is pending
   * @param redacted whether the delivered words were deleted ({@code cleanup: delete})
   */
  public record DeliveryView(
      DeliveryId id,
      @Nullable TaskId taskId,
      @Nullable MessageId messageId,
      SessionId sessionId,
      String kind,
      String target,
      String state,
      int attempts,
      @Nullable Instant nextAttemptAt,
      Instant createdAt,
      @Nullable Instant deliveredAt,
      @Nullable Instant consumedAt,
      @Nullable Instant deadAt,
      @Nullable String lastError,
      boolean redacted) {

    static DeliveryView of(DeliveryRow row) {
      return new DeliveryView(
          new DeliveryId(row.id),
          row.taskId == null ? null : new TaskId(row.taskId),
          row.messageId == null ? null : new MessageId(row.messageId),
          new SessionId(row.sessionId),
          row.kind,
          row.target,
          row.state,
          row.attempts,
          row.nextAttemptAt,
          row.createdAt,
          row.deliveredAt,
          row.consumedAt,
          row.deadAt,
          row.lastError,
          row.redacted);
    }
  }

  /** A delivery without what it delivers. Events for hooks are not shown. */
  @Entity(name = "DeliveryRow")
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Subselect(
      """
      select id, tenant, coalesce(task_id, callback_task_id) as task_id, message_id, session_id, kind, target, state, attempts,
             case state when 'pending' then available_at end as next_attempt_at,
             created_at, delivered_at, consumed_at, dead_at, last_error, redacted
      from outbox where target <> 'hook'
      """)
  static class DeliveryRow extends PanacheEntityBase {

    @Id public UUID id;
    @TenantId public String tenant;
    public @Nullable UUID taskId;
    public @Nullable UUID messageId;
    public UUID sessionId;
    public String kind;
    public String target;
    public String state;
    public int attempts;
    public @Nullable Instant nextAttemptAt;
    public Instant createdAt;
    public @Nullable Instant deliveredAt;
    public @Nullable Instant consumedAt;
    public @Nullable Instant deadAt;
    public @Nullable String lastError;
    public boolean redacted;
  }
}
