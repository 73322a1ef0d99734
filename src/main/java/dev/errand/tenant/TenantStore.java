package dev.errand.tenant;

import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.secret.Secrets;
import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.panache.common.Sort;
import jakarta.enterprise.context.control.ActivateRequestContext;
import jakarta.inject.Singleton;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.hibernate.annotations.ColumnTransformer;
import org.hibernate.annotations.CurrentTimestamp;
import org.hibernate.annotations.SourceType;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * The table of tenants. It is used outside of requests, too, so each call activates a request
 * context: Hibernate refuses a query without one.
 */
@ActivateRequestContext
@Singleton
public class TenantStore {

  private final Jdbi jdbi;
  private final ModelSecrets secrets;
  private final Hints hints;

  TenantStore(Jdbi jdbi, ModelSecrets secrets, Hints hints) {
    this.jdbi = jdbi;
    this.secrets = secrets;
    this.hints = hints;
  }

  /** The result of a change. */
  public sealed interface TenantOutcome {

    record TenantStored(Tenant tenant, boolean isNew) implements TenantOutcome {}

    /**
     * The change was refused, and nothing was changed.
     *
     * @param field of the models
     */
    record TenantRefused(String field, String message) implements TenantOutcome {}
  }

  /** Returns all tenants by their names. */
  public List<Tenant> all() {
    return QuarkusTransaction.requiringNew()
        .call(
            () -> TenantRow.<TenantRow>listAll(Sort.by("id")).stream().map(this::tenant).toList());
  }

  public Optional<Tenant> find(String id) {
    return QuarkusTransaction.requiringNew()
        .call(() -> TenantRow.<TenantRow>findByIdOptional(id).map(this::tenant));
  }

  /** Returns the tenants that have a key which an old key of the service encrypts. */
  List<String> outdated() {
    return QuarkusTransaction.requiringNew()
        .call(() ->
            TenantRow.<TenantRow>listAll().stream()
                .filter(row -> secrets.renewed(row.id, row.models).isPresent())
                .map(row -> row.id)
                .toList());
  }

  /** Encrypts the keys of a tenant with the current key; false if they are already. */
  boolean encryptAgain(String id) {
    return QuarkusTransaction.requiringNew()
        .call(() -> {
          TenantRow row =
              Objects.requireNonNull(TenantRow.findById(id, LockModeType.PESSIMISTIC_WRITE));
          var renewed = secrets.renewed(id, row.models);
          renewed.ifPresent(models -> row.models = models);
          return renewed.isPresent();
        });
  }

  /** Creates or replaces a tenant. A key that is given as {@link Secrets#MASK} keeps its value. */
  @Transactional(TxType.MANDATORY)
  public TenantOutcome put(Tenant tenant) {
    var isNew =
        jdbi.withHandle(handle ->
            handle.execute(
                "insert into tenant (id) values (?) on conflict do nothing", tenant.id()))
            == 1;
    TenantRow row =
        Objects.requireNonNull(TenantRow.findById(tenant.id(), LockModeType.PESSIMISTIC_WRITE));
    var old = secrets.read(tenant.id(), row.models);
    for (var provider : tenant.models().providers().entrySet()) {
      var problem = problem(provider.getValue(), old.of(provider.getKey()));
      if (problem.isPresent()) {
        return new TenantOutcome.TenantRefused(
            "models.providers." + provider.getKey() + ".api_key", problem.get());
      }
    }
    write(tenant, row);
    hints.afterCommit(Topic.TENANTS);
    return new TenantOutcome.TenantStored(tenant(row), isNew);
  }

  /** Checks that a kept key goes only to the address that it was given for. */
  private static Optional<String> problem(
      ProviderCredentials asked, Optional<ProviderCredentials> old) {
    if (!Secrets.MASK.equals(asked.apiKey())) {
      return Optional.empty();
    }
    if (old.isEmpty() || !old.get().hasKey()) {
      return Optional.of("there is no stored key to keep; give the key");
    }
    return Objects.equals(asked.baseUrl(), old.get().baseUrl())
        ? Optional.empty()
        : Optional.of("give the key again, because base_url changes");
  }

  private void write(Tenant tenant, TenantRow row) {
    row.weight = tenant.weight();
    row.maxConcurrentRuns = tenant.maxConcurrentRuns();
    row.maxPendingTasks = tenant.maxPendingTasks();
    row.delegationsPerHour = tenant.delegationsPerHour();
    row.tokensPerDay = tenant.tokensPerDay();
    row.costPerDay = tenant.costPerDayMicros();
    row.models = secrets.written(tenant.id(), tenant.models(), row.models);
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

  /** A row of {@code tenant}; its models are JSON text. */
  @Entity
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Table(name = "tenant")
  static class TenantRow extends PanacheEntityBase {

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
}
