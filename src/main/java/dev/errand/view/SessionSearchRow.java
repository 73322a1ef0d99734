package dev.errand.view;

import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

/** A row of {@code session_search_view}: the text of one of the newest sessions, in lower case. */
@Entity
@SuppressWarnings("NullAway.Init") // Hibernate sets the fields
@Immutable
@Table(name = "session_search_view")
class SessionSearchRow extends PanacheEntityBase {

  @Id public UUID id;
  @TenantId public String tenant;
  public @Nullable String text;
}
