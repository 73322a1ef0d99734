package dev.errand.tenant;

import dev.errand.node.Upkeep;
import dev.errand.postgres.IsolatedSteps;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.quarkus.scheduler.Scheduled;
import jakarta.inject.Singleton;
import java.util.concurrent.atomic.AtomicLong;
import org.jboss.logging.Logger;

/**
 * Encrypts the keys of tenants again that are encrypted with an old key of the service. This is
 * repeated because nodes of the previous configuration may still write, or have run it.
 */
@Singleton
public class KeyRotation implements Upkeep {

  private static final Logger LOG = Logger.getLogger(KeyRotation.class);

  private final TenantStore store;
  private final IsolatedSteps steps;

  private final AtomicLong unreadable = new AtomicLong();

  KeyRotation(TenantStore store, IsolatedSteps steps, MeterRegistry registry) {
    this.store = store;
    this.steps = steps;
    registry.gauge("errand.secrets.unreadable", Tags.of("of", "tenants"), unreadable);
  }

  @Override
  public String name() {
    return "encrypt_tenant_keys";
  }

  @Override
  public boolean runSome() {
    var encrypted = steps.countIsolated("encrypt_secret", store.outdated(), store::encryptAgain);
    if (encrypted > 0) {
      LOG.infof("The model keys of %d tenants were encrypted with the new key", encrypted);
    }
    return false;
  }

  /** Counts the unreadable secrets, on each node, because each has keys of its own. */
  @Scheduled(every = "10m", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  public void countUnreadable() {
    var tenants = store.all();
    unreadable.set(tenants.stream().mapToLong(KeyRotation::unreadable).sum());
    tenants.stream()
        .filter(tenant -> unreadable(tenant) > 0)
        .forEach(tenant ->
            LOG.errorf(
                "%d model keys of tenant %s are encrypted with a key that is neither"
                    + " ERRAND_SECRETS_KEY nor one of ERRAND_SECRETS_OLD_KEYS; they are not used",
                unreadable(tenant), tenant.id()));
  }

  private static long unreadable(Tenant tenant) {
    return tenant.models().providers().values().stream()
        .filter(access -> access.problem() != null)
        .count();
  }
}
