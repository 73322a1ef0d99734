package dev.errand.tenant;

import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.time.Instant;
import org.hibernate.annotations.ColumnTransformer;
import org.hibernate.annotations.CurrentTimestamp;
import org.hibernate.annotations.SourceType;
import org.jspecify.annotations.Nullable;

/** A row of {@code tenant}; its models are JSON text. */
@Entity
@SuppressWarnings("NullAway.Init") // Hibernate sets the fields
@Table(name = "tenant")
class TenantRow extends PanacheEntityBase {

  @Id public String id;
  public int weight;
  public @Nullable Integer maxConcurrentRuns;
  public @Nullable Integer maxPendingTasks;
  public @Nullable Integer delegationsPerHour;
  public @Nullable Long tokensPerDay;
  public @Nullable Long costPerDay;

  @ColumnTransformer(write = "?::jsonb")
  public String models;

  @Version public long version;

  @CurrentTimestamp(source = SourceType.DB)
  public Instant changedAt;
}
