package dev.errand.view;

import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.TenantId;

/** A row of {@code state_count_view}: how many sessions, tasks or deliveries are in one state. */
@Entity
@SuppressWarnings("NullAway.Init") // Hibernate sets the fields
@Immutable
@Table(name = "state_count_view")
class StateCountRow extends PanacheEntityBase {

  @Id public String id;
  @TenantId public String tenant;
  public String subject;
  public String state;
  public long amount;
}
