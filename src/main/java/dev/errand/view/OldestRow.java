package dev.errand.view;

import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

/** A row of {@code oldest_of_tenant_view}. */
@Entity
@SuppressWarnings("NullAway.Init") // Hibernate sets the fields
@Immutable
@Table(name = "oldest_of_tenant_view")
class OldestRow extends PanacheEntityBase {

  @Id public int id;
  @TenantId public String tenant;
  public @Nullable Double pendingSeconds;
  public @Nullable Double undeliveredSeconds;
}
