package dev.errand.view;

import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

/** A row of {@code tree_view}: the limits of a tree of sessions. */
@Entity
@SuppressWarnings("NullAway.Init") // Hibernate sets the fields
@Immutable
@Table(name = "tree_view")
class TreeRow extends PanacheEntityBase {

  @Id public UUID rootId;
  @TenantId public String tenant;
  public int maxDepth;
  public int maxDelegations;
  public int maxBackgroundTasks;
  public @Nullable Long maxTokens;
  public @Nullable Integer maxDelegationsTotal;
  public @Nullable Long maxCost;
}
