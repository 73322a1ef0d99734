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

/**
 * A row of {@code session_view}: a session and its callback. JSON columns are read as text, so that
 * Hibernate needs no mapper of its own for them.
 */
@Entity
@SuppressWarnings("NullAway.Init") // Hibernate sets the fields
@Immutable
@Table(name = "session_view")
class SessionRow extends PanacheEntityBase {

  @Id public UUID id;
  @TenantId public String tenant;
  public @Nullable UUID parentId;
  public UUID rootId;
  public int depth;
  public String agent;
  public String kind;
  public @Nullable String title;
  public String state;
  public String model;
  public String workspace;
  public long inputTokens;
  public long cachedInputTokens;
  public long outputTokens;
  public @Nullable Long cost;
  public long turns;
  public long toolCalls;
  public @Nullable String origin;
  public @Nullable String metadata;
  public Instant createdAt;
  public Instant updatedAt;
  public @Nullable String callbackUrl;
  public @Nullable Instant callbackDisabledAt;
  public int waitingNotices;
  public @Nullable String waitsFor;
  public @Nullable Instant waitsSince;
  public @Nullable Instant waitsUntil;
  public @Nullable UUID waitsOn;
  public @Nullable String errorCode;
  public @Nullable String errorMessage;
  public @Nullable Instant errorAt;
  public @Nullable String pauseReason;
}
