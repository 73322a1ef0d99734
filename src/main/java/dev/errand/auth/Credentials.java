package dev.errand.auth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.errand.auth.BearerSecret.SecretKind;
import dev.errand.conversation.SessionId;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * The keys and session tokens that are valid now. What was read is used for 2 seconds, so that a
 * request seldom needs a statement of its own, and a revocation on another node is noticed soon.
 */
@Singleton
class Credentials {

  private static final Duration KEPT_FOR = Duration.ofSeconds(2);
  private static final int MAX_KEPT = 10_000;

  private static final String KEY =
      """
      select hash, tenant, role, coalesce(last_used_at > clock_timestamp() - interval '1 minute', false) as used_lately
      from api_key where id = :id and (expires_at is null or expires_at > clock_timestamp())
      """;

  private static final String TOKEN =
      """
      select session_token.hash, session_token.tenant, session_id, session_token.created_by, session_token.role,
             session_token.expires_at > clock_timestamp() + :idleSeconds * interval '1 second' - interval '1 minute' as used_lately
      from session_token left join api_key on api_key.id = key_id
      where session_token.id = :id and session_token.expires_at > clock_timestamp()
        and session_token.created_by is not null
        and (api_key.expires_at is null or api_key.expires_at > clock_timestamp())
      """;

  private static final String KEY_USED =
      """
      update api_key set last_used_at = clock_timestamp()
      where id = ? and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute')
      """;

  private static final String LOGIN_USED =
      """
      update session_token set expires_at = clock_timestamp() + :idleSeconds * interval '1 second'
      where id = :id and session_id is null
      """;

  private final Cache<Name, Optional<StoredCredential>> known =
      Caffeine.newBuilder().expireAfterWrite(KEPT_FOR).maximumSize(MAX_KEPT).build();
  private final Jdbi jdbi;

  Credentials(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  private record Name(SecretKind kind, String id) {}

  /**
   * @param usedLately whether the time of its last use need not be written
   */
  private record StoredCredential(byte[] hash, Caller caller, boolean usedLately) {}

  /**
   * Returns the caller that sends this secret, found without the database; empty when the database
   * has to be asked.
   */
  Optional<Caller> known(BearerSecret secret) {
    var stored = known.getIfPresent(name(secret));
    return stored == null
        ? Optional.empty()
        : caller(secret, stored.filter(StoredCredential::usedLately));
  }

  /**
   * Returns the caller that sends this secret; empty when it is not valid. May ask the database.
   */
  Optional<Caller> find(BearerSecret secret) {
    var stored = stored(secret);
    var caller = caller(secret, stored);
    if (caller.isPresent() && !stored.orElseThrow().usedLately()) {
      used(secret);
      known.put(name(secret), Optional.of(new StoredCredential(secret.hash(), caller.get(), true)));
    }
    return caller;
  }

  private void used(BearerSecret secret) {
    jdbi.useHandle(handle -> {
      if (secret.kind() == SecretKind.KEY) {
        handle.execute(KEY_USED, secret.id());
      } else {
        handle
            .createUpdate(LOGIN_USED)
            .bind("id", secret.id())
            .bind("idleSeconds", SessionTokens.LOGIN_IDLE.toSeconds())
            .execute();
      }
    });
  }

  /** Returns whether the secret is still valid. May ask the database. */
  boolean isValid(BearerSecret secret) {
    return caller(secret, stored(secret)).isPresent();
  }

  /** Asks the database again from now on. */
  void forget() {
    known.invalidateAll();
  }

  private Optional<StoredCredential> stored(BearerSecret secret) {
    return known.get(name(secret), this::read);
  }

  private static Name name(BearerSecret secret) {
    return new Name(secret.kind(), secret.id());
  }

  private static Optional<Caller> caller(BearerSecret secret, Optional<StoredCredential> stored) {
    return stored.filter(found -> secret.matches(found.hash())).map(StoredCredential::caller);
  }

  private Optional<StoredCredential> read(Name name) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(name.kind() == SecretKind.KEY ? KEY : TOKEN)
            .bind("id", name.id())
            .bind("idleSeconds", SessionTokens.LOGIN_IDLE.toSeconds())
            .map((row, _) -> name.kind() == SecretKind.KEY ? key(name, row) : token(name, row))
            .findOne());
  }

  private static StoredCredential key(Name name, ResultSet row) throws SQLException {
    var role = Role.parse(row.getString("role")).orElseThrow();
    return new StoredCredential(
        row.getBytes("hash"),
        Caller.ofKey(name.id(), row.getString("tenant"), role),
        row.getBoolean("used_lately"));
  }

  private static StoredCredential token(Name name, ResultSet row) throws SQLException {
    var session = row.getObject("session_id", UUID.class);
    var tenant = row.getString("tenant");
    var maker = row.getString("created_by");
    return session == null
        ? new StoredCredential(
            row.getBytes("hash"),
            Caller.ofLogin(maker, tenant, Role.parse(row.getString("role")).orElseThrow()),
            row.getBoolean("used_lately"))
        : new StoredCredential(
            row.getBytes("hash"),
            Caller.ofToken(name.id(), tenant, new SessionId(session), maker),
            true);
  }
}
