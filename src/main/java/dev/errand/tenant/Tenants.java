package dev.errand.tenant;

import static java.util.stream.Collectors.toUnmodifiableMap;

import dev.errand.node.HintListener;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.node.Topic;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The tenants as this node knows them: a copy of their table in memory. A node reads the table
 * again after a hint, once a second while it has changed in the last minute, and once a minute; so
 * a change is in effect on all nodes within 5 seconds.
 */
@ApplicationScoped
public class Tenants implements HintListener {

  private static final Duration OLD = Duration.ofMinutes(1);

  private static final String CHANGED =
      "exists (select 1 from tenant where changed_at > now() - interval '1 minute')";

  private final TenantStore store;
  private volatile @Nullable Copy copy;

  /**
   * @param readAt on the monotonic clock
   */
  private record Copy(Map<String, Tenant> byId, long readAt) {}

  Tenants(TenantStore store) {
    this.store = store;
  }

  /** Before anything runs that belongs to a tenant. */
  void start(@Observes @Priority(-2) StartupEvent start, Sweeps sweeps) {
    sweeps.add(Sweep.whenDue("Tenants", CHANGED, this::refresh).orWhenWanted(this::isOld));
    refresh();
  }

  /**
   * Returns a tenant as of at most a few seconds ago. One that this node does not know yet is
   * looked up once.
   */
  public Tenant of(String id) {
    return find(id)
        .or(() -> {
          refresh();
          return find(id);
        })
        .orElseGet(() -> Tenant.plain(id));
  }

  /** Empty when there is no such tenant, as of at most a few seconds ago. */
  public Optional<Tenant> find(String id) {
    var known = copy;
    return Optional.ofNullable((known == null ? read() : known).byId().get(id));
  }

  @Override
  public Topic topic() {
    return Topic.TENANTS;
  }

  @Override
  public void hinted() {
    refresh();
  }

  /** Reads the tenants again. */
  public void refresh() {
    var ignored = read();
  }

  /** One at a time, so that an older copy does not replace a newer one. */
  private synchronized Copy read() {
    var began = System.nanoTime();
    var byId = store.all().stream().collect(toUnmodifiableMap(Tenant::id, Function.identity()));
    var fresh = new Copy(byId, began);
    copy = fresh;
    return fresh;
  }

  private boolean isOld() {
    var known = copy;
    return known == null || System.nanoTime() - known.readAt() > OLD.toNanos();
  }
}
