package dev.errand.tenant;

import dev.errand.postgres.IsolatedSteps;
import dev.errand.tenant.TenantModels.Access;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import org.jboss.logging.Logger;

/**
 * Encrypts the keys of tenants again that are encrypted with an old key of the service, at the
 * start of each node and every 10 min, because nodes of the previous configuration may still write.
 */
@ApplicationScoped
public class KeyRotation {

  private static final Logger LOG = Logger.getLogger(KeyRotation.class);

  private final TenantStore store;
  private final IsolatedSteps steps;

  KeyRotation(TenantStore store, IsolatedSteps steps) {
    this.store = store;
    this.steps = steps;
  }

  @Scheduled(every = "10m", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  public void sweep() {
    var encrypted = steps.countIsolated("encrypt_secret", store.outdated(), store::encryptAgain);
    if (encrypted > 0) {
      LOG.infof("The model keys of %d tenants were encrypted with the new key", encrypted);
    }
    store.all().stream()
        .filter(KeyRotation::isUnreadable)
        .forEach(tenant ->
            LOG.errorf(
                "A model key of tenant %s is encrypted with a key that is neither ERRAND_SECRETS_KEY"
                    + " nor one of ERRAND_SECRETS_OLD_KEYS; it is not used",
                tenant.id()));
  }

  private static boolean isUnreadable(Tenant tenant) {
    return tenant.models().providers().values().stream()
        .map(Access::problem)
        .anyMatch(problem -> problem != null);
  }
}
