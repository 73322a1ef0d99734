package dev.errand.view;

import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

/** A row of {@code usage_today_view}. */
@Entity
@SuppressWarnings("NullAway.Init") // Hibernate sets the fields
@Immutable
@Table(name = "usage_today_view")
class UsageTodayRow extends PanacheEntityBase {

  @Id public int id;
  @TenantId public String tenant;
  public long tokens;
  public long cachedTokens;
  public @Nullable Long cost;
}
