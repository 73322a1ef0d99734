package dev.errand.view;

import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

/** A row of {@code task_rights_view}: what the child of a task may do, as JSON. */
@Entity
@SuppressWarnings("NullAway.Init") // Hibernate sets the fields
@Immutable
@Table(name = "task_rights_view")
class TaskRightsRow extends PanacheEntityBase {

  @Id public UUID id;
  @TenantId public String tenant;
  public UUID sessionId;
  public @Nullable String rights;
}
