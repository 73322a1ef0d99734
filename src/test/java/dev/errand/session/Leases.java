package dev.errand.session;

import dev.errand.conversation.SessionId;
import dev.errand.permission.Permissions;
import io.quarkus.narayana.jta.QuarkusTransaction;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.file.Path;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * Creates and claims sessions on behalf of a fictitious worker: they have no job, so that no real
 * worker claims them.
 */
@ApplicationScoped
public class Leases {

  private final Jdbi jdbi;
  private final SessionStore store;
  private final SessionClaims claims;

  Leases(Jdbi jdbi, SessionStore store, SessionClaims claims) {
    this.jdbi = jdbi;
    this.store = store;
    this.claims = claims;
  }

  /** Creates a session that waits for a worker and has no job. */
  public SessionId queued() {
    var spec =
        new SessionSpec(
            "primary", SessionKind.HOSTED, "scripted:none", Path.of("."), 40, Permissions.ALL);
    var session = NewSession.root("default", spec, NewSession.SessionDetails.NONE);
    store.create(session);
    queue(session.id());
    return session.id();
  }

  public void queue(SessionId session) {
    jdbi.useHandle(handle ->
        handle.execute(
            "update session set state = 'queued', queued_at = now() + interval '1 hour' where id = ?",
            session.value()));
  }

  /**
   * Claims a session for a node that does not exist. The service takes such a session over 6 s
   * after its last change, which is therefore dated ahead in the same transaction.
   */
  public Lease claim(SessionId session, UUID node) {
    return QuarkusTransaction.joiningExisting()
        .call(() -> {
          var claim = claims.claimOnly(session, node).orElseThrow();
          jdbi.useHandle(handle ->
              handle.execute(
                  "update session set updated_at = now() + interval '1 hour' where id = ?",
                  session.value()));
          return claim.lease();
        });
  }

  /** Lets this transaction wait for another one that a busy machine delays. */
  public void waitForLocks() {
    jdbi.useHandle(handle -> {
      handle.execute("set local lock_timeout = '50s'");
      handle.execute("set local statement_timeout = '50s'");
      handle.execute("set local idle_in_transaction_session_timeout = '50s'");
    });
  }

  /** Whether a transaction waits for a row that another one has locked. */
  public boolean someWaitForLocks() {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select exists (select 1 from pg_locks where not granted)")
            .mapTo(Boolean.class)
            .one());
  }

  /** Creates a session and claims it. */
  public Lease claimed() {
    return claim(queued(), UUID.randomUUID());
  }

  /** Whether the session rests although its inbox contains an entry that must wake it. */
  public boolean restsWithUnreadMail(SessionId session) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select exists (
                  select 1 from session join inbox on session_id = session.id
                  where session.id = :id and consumed_at is null
                    and (state = 'idle' or (state = 'waiting' and inbox.kind = 'tool_result')))
                """)
            .bind("id", session.value())
            .mapTo(Boolean.class)
            .one());
  }

  public long count(String sql, SessionId session) {
    return jdbi.withHandle(
        handle -> handle.createQuery(sql).bind("id", session.value()).mapTo(Long.class).one());
  }

  /** Registers a callback, so that messages of the session are posted to this URL. */
  public void callback(SessionId session, String url) {
    jdbi.useHandle(handle ->
        handle.execute(
            "insert into callback (session_id, url, secret) values (?, ?, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')",
            session.value(),
            url));
  }

  /** Deletes the session, so that no later test finds it. */
  public void drop(SessionId session) {
    jdbi.useHandle(handle -> {
      handle.execute("delete from outbox where session_id = ?", session.value());
      handle.execute("delete from session where id = ?", session.value());
    });
  }
}
