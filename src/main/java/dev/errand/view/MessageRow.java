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

/** A row of {@code message_view}: a message of a transcript, its content as JSON text. */
@Entity
@SuppressWarnings("NullAway.Init") // Hibernate sets the fields
@Immutable
@Table(name = "message_view")
class MessageRow extends PanacheEntityBase {

  @Id public UUID id;
  @TenantId public String tenant;
  public UUID sessionId;
  public long seq;
  public String role;
  public String kind;
  public String content;
  public Instant createdAt;
  public @Nullable Long coversFrom;
  public @Nullable Long coversTo;
  public long inputTokens;
  public @Nullable Long cachedInputTokens;
  public long outputTokens;
  public @Nullable Long cost;
  public @Nullable UUID taskId;
  public @Nullable String model;
  public @Nullable Instant startedAt;
  public @Nullable Long modelMs;
  public @Nullable Integer modelAttempts;
  public @Nullable UUID deliveryId;
}
