package dev.errand.tenant;

import static java.util.stream.Collectors.toUnmodifiableMap;

import dev.errand.node.HintListener;
import dev.errand.node.LocalCopy;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.node.Topic;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The tenants as this node knows them: a copy of their table in memory. A node reads the table
 * again after a hint, once a second while it has changed in the last minute, and once a minute; so
 * a change is in effect on all nodes within 5 seconds.
 */
@Singleton
public class Tenants implements HintListener {

  private static final Duration OLD = Duration.ofMinutes(1);

  private static final String CHANGED =
      "exists (select 1 from tenant where changed_at > now() - interval '1 minute')";

  private final LocalCopy<Map<String, Tenant>> copy;

  Tenants(TenantStore store) {
    this.copy =
        new LocalCopy<>(
            "tenants",
            () -> store.all().stream().collect(toUnmodifiableMap(Tenant::id, Function.identity())));
  }

  /** Loads the tenants before anything runs that belongs to a tenant. */
  void start(@Observes @Priority(-2) StartupEvent start, Sweeps sweeps) {
    sweeps.add(
        Sweep.whenDue("Tenants", CHANGED, this::refresh).orWhenWanted(() -> copy.isOlderThan(OLD)));
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

  /** Returns a tenant; empty when there is no such tenant, as of at most a few seconds ago. */
  public Optional<Tenant> find(String id) {
    return Optional.ofNullable(copy.get().get(id));
  }

  /**
   * Returns whether there is a tenant in addition to the first one, as of at most a few seconds
   * ago.
   */
  public boolean areSeveral() {
    return copy.get().size() > 1;
  }

  @Override
  public Topic topic() {
    return Topic.TENANTS;
  }

  @Override
  public void hinted() {
    refresh();
  }

  /** Reads the tenants again after one was stored; a failure is logged only. */
  public void changed() {
    copy.refreshAfterChange();
  }

  private void refresh() {
    var ignored = copy.refresh();
  }
}
