package dev.errand.view;

import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;
import org.hibernate.annotations.Immutable;

/** A row of {@code owned_root_view}: a root session and the subject that opened it. */
@Entity
@SuppressWarnings("NullAway.Init") // Hibernate sets the fields
@Immutable
@Table(name = "owned_root_view")
class OwnedRootRow extends PanacheEntityBase {

  @Id public UUID id;
  public String owner;
}
