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

/** A row of {@code audit_view}. */
@Entity
@SuppressWarnings("NullAway.Init") // Hibernate sets the fields
@Immutable
@Table(name = "audit_view")
class AuditRow extends PanacheEntityBase {

  @Id public UUID id;
  @TenantId public String tenant;
  public Instant at;
  public String subject;
  public String action;
  public @Nullable UUID sessionId;
  public @Nullable String target;
  public @Nullable String details;
}
