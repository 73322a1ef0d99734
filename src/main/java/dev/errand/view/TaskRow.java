package dev.errand.view;

import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.time.Instant;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.Subselect;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

/** A task, how its result is delivered, and what its child waits for. JSON is read as text. */
@Entity
@SuppressWarnings("NullAway.Init") // Hibernate sets the fields
@Immutable
@Subselect(
    """
    select task.*, coalesce(task.session_id, task.queued_for) as child_id, task.redacted_at is not null as redacted,
           outbox.state as delivery_state, outbox.attempts as delivery_attempts, outbox.delivered_at, outbox.consumed_at,
           outbox.last_error,
           (select jsonb_build_object('files', files, 'insertions', insertions, 'deletions', deletions, 'truncated', truncated,
                                      'unavailable', unavailable, 'notes', worktree_change.notes)
            from worktree_change where worktree_change.task_id = task.id) as changes,
           case when task.queued_for is not null then 'child' else child.waits_for end as waits_for,
           case when task.queued_for is not null then task.created_at else child.waits_since end as waits_since,
           child.waits_until
    from task
    left join outbox on outbox.task_id = task.id
    left join session child on child.id = task.session_id and task.ended_at is null
    """)
class TaskRow extends PanacheEntityBase {

  @Id public UUID id;
  @TenantId public String tenant;
  public UUID childId;
  public UUID parentSessionId;
  public UUID rootSessionId;
  public String subagentType;
  public String description;
  public @Nullable String label;
  public @Nullable String command;
  public boolean background;
  public String state;
  public int priority;
  public String cleanup;
  public long timeoutMs;
  public int maxTurns;
  public String model;
  public int attempts;
  public int takeovers;
  public @Nullable String result;
  public @Nullable String errorCode;
  public @Nullable String errorMessage;
  public @Nullable String stopReason;
  public boolean partial;
  public long inputTokens;
  public long cachedInputTokens;
  public long outputTokens;
  public @Nullable Long cost;
  public long turns;
  public long toolCalls;
  public @Nullable Instant deadlineAt;
  public @Nullable Instant clockStoppedAt;
  public Instant createdAt;
  public @Nullable Instant startedAt;
  public @Nullable Instant endedAt;
  public @Nullable String deliveryState;
  public @Nullable Integer deliveryAttempts;
  public @Nullable Instant deliveredAt;
  public @Nullable Instant consumedAt;
  public @Nullable String lastError;
  public boolean redacted;
  public String isolation;
  public @Nullable String thoroughness;
  public String notes;
  public @Nullable String changes;
  public @Nullable String waitsFor;
  public @Nullable Instant waitsSince;
  public @Nullable Instant waitsUntil;
}
