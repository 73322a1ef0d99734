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

/** A row of {@code delivery_view}: a row of the outbox without what it delivers. */
@Entity
@SuppressWarnings("NullAway.Init") // Hibernate sets the fields
@Immutable
@Table(name = "delivery_view")
class DeliveryRow extends PanacheEntityBase {

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
