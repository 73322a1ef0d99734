package dev.errand.auth;

import dev.errand.auth.BearerSecret.SecretKind;
import dev.errand.postgres.AfterCommit;
import dev.errand.secret.Secrets;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** The keys of clients: made, listed, revoked. */
@Singleton
public class ApiKeys {

  private static final Logger LOG = Logger.getLogger(ApiKeys.class);

  private static final String INSERT =
      """
      insert into api_key (id, hash, name, tenant, role, created_by, expires_at)
      values (:id, :hash, :name, :tenant, :role, :by, :expires)
      returning *
      """;

  private static final String REPLACE =
      """
      insert into api_key (id, hash, name, tenant, role, from_environment)
      values (:id, :hash, 'ERRAND_ADMIN_KEY', :tenant, 'admin', true)
      on conflict (id) do update
      set hash = excluded.hash, tenant = excluded.tenant, role = 'admin', from_environment = true, expires_at = null
      """;

  private final Jdbi jdbi;
  private final Callers callers;
  private final Audit audit;
  private final Credentials credentials;
  private final AfterCommit afterCommit;

  ApiKeys(
      Jdbi jdbi, Callers callers, Audit audit, Credentials credentials, AfterCommit afterCommit) {
    this.jdbi = jdbi;
    this.callers = callers;
    this.audit = audit;
    this.credentials = credentials;
    this.afterCommit = afterCommit;
  }

  /**
   * A new key.
   *
   * @param secret what its client sends; not stored
   */
  public record CreatedKey(String secret, ApiKey key) {}

  @Transactional
  public CreatedKey make(String name, Role role, String tenant, @Nullable Instant expiresAt) {
    var secret = BearerSecret.next(SecretKind.KEY);
    var by = callers.current().map(Caller::subject).orElse(null);
    var key =
        jdbi.withHandle(handle ->
            handle
                .createQuery(INSERT)
                .bind("id", secret.id())
                .bind("hash", secret.hash())
                .bind("name", Secrets.masked(name))
                .bind("tenant", tenant)
                .bind("role", role)
                .bind("by", by)
                .bind("expires", expiresAt)
                .map((row, _) -> key(row))
                .one());
    audit.record("key.create", null, key.id(), Map.of("name", name, "role", role.word()));
    return new CreatedKey(secret.text(), key);
  }

  /** Returns all keys, the oldest first. */
  public List<ApiKey> list() {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select * from api_key order by created_at, id")
            .map((row, _) -> key(row))
            .list());
  }

  /**
   * Revokes a key and the session tokens that it made. Idempotent. Other nodes notice it within 5
   * seconds.
   */
  @Transactional
  public void revoke(String id) {
    var revoked =
        jdbi.withHandle(handle -> handle.execute("delete from api_key where id = ?", id)) == 1;
    if (revoked) {
      audit.record("key.revoke", null, id, Map.of());
      afterCommit.run(credentials::forget);
    }
  }

  /** Stores the hash of {@code errand.admin-key} when the service starts. */
  @Transactional
  void storeAdminKey(
      @Observes @Priority(-1) StartupEvent start,
      AuthMode mode,
      @ConfigProperty(name = "errand.admin-key") Optional<String> setting) {
    if (!mode.isOn()) {
      return;
    }
    setting.map(ApiKeys::parse).ifPresent(this::replaceAdminKey);
    if (!mode.isOidc() && isEmpty()) {
      LOG.warn(
          "There is no key, so no client can call; set ERRAND_ADMIN_KEY to make the first one");
    }
  }

  private static BearerSecret parse(String text) {
    return BearerSecret.parse(text.strip())
        .filter(secret -> secret.kind() == SecretKind.KEY)
        .orElseThrow(
            () -> new ConfigurationException("ERRAND_ADMIN_KEY must be " + BearerSecret.KEY_FORM));
  }

  /** Makes this the key of the environment; the previous key is revoked. */
  private void replaceAdminKey(BearerSecret secret) {
    jdbi.useHandle(handle -> {
      handle.execute("delete from api_key where from_environment and id <> ?", secret.id());
      handle
          .createUpdate(REPLACE)
          .bind("id", secret.id())
          .bind("hash", secret.hash())
          .bind("tenant", Caller.DEFAULT_TENANT)
          .execute();
    });
  }

  private boolean isEmpty() {
    return jdbi.withHandle(handle ->
        handle.createQuery("select not exists (select 1 from api_key)").mapTo(boolean.class).one());
  }

  private static ApiKey key(ResultSet row) throws SQLException {
    return new ApiKey(
        row.getString("id"),
        row.getString("name"),
        Role.parse(row.getString("role")).orElseThrow(),
        row.getString("tenant"),
        instant(row, "expires_at"),
        row.getObject("created_at", OffsetDateTime.class).toInstant(),
        row.getString("created_by"),
        instant(row, "last_used_at"));
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    var value = row.getObject(column, OffsetDateTime.class);
    return value == null ? null : value.toInstant();
  }

  /**
   * A key without its secret.
   *
   * @param expiresAt null: it does not expire
   * @param createdBy the subject that made it; null for the key of the environment
   * @param lastUsedAt up to a minute old; null: never
   */
  public record ApiKey(
      String id,
      String name,
      Role role,
      String tenant,
      @Nullable Instant expiresAt,
      Instant createdAt,
      @Nullable String createdBy,
      @Nullable Instant lastUsedAt) {}
}
