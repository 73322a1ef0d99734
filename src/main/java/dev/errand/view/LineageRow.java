package dev.errand.view;

import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

/** A row of {@code lineage_view}: whose tree a session belongs to. */
@Entity
@SuppressWarnings("NullAway.Init") // Hibernate sets the fields
@Immutable
@Table(name = "lineage_view")
class LineageRow extends PanacheEntityBase {

  @Id public UUID id;
  @TenantId public String tenant;
  public @Nullable UUID parentId;
  public UUID rootId;
  public @Nullable String owner;
}
