package dev.errand.view;

import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

/** A row of {@code session_rights_view}: the permissions of a session, as JSON. */
@Entity
@SuppressWarnings("NullAway.Init") // Hibernate sets the fields
@Immutable
@Table(name = "session_rights_view")
class SessionRightsRow extends PanacheEntityBase {

  @Id public UUID id;
  @TenantId public String tenant;
  public String agent;
  public String kind;
  public String grants;
  public @Nullable String grantsFrom;
  public int inherited;
}
