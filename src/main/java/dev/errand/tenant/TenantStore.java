package dev.errand.tenant;

import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.panache.common.Sort;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/** The table of tenants. */
@ApplicationScoped
public class TenantStore {

  private final ModelSecrets secrets;

  TenantStore(ModelSecrets secrets) {
    this.secrets = secrets;
  }

  /** All tenants by their names. */
  public List<Tenant> all() {
    return QuarkusTransaction.requiringNew()
        .call(
            () -> TenantRow.<TenantRow>listAll(Sort.by("id")).stream().map(this::tenant).toList());
  }

  private Tenant tenant(TenantRow row) {
    return new Tenant(
        row.id,
        row.weight,
        row.maxConcurrentRuns,
        row.maxPendingTasks,
        row.delegationsPerHour,
        row.tokensPerDay,
        row.costPerDay,
        secrets.read(row.id, row.models));
  }
}
