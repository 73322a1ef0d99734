package dev.errand.view;

import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

/** A row of {@code task_view}: a task and how its result is delivered. JSON is read as text. */
@Entity
@SuppressWarnings("NullAway.Init") // Hibernate sets the fields
@Immutable
@Table(name = "task_view")
class TaskRow extends PanacheEntityBase {

  @Id public UUID id;
  @TenantId public String tenant;
  public UUID sessionId;
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
