package dev.errand.auth;

import dev.errand.conversation.Ids;
import dev.errand.conversation.SessionId;
import dev.errand.postgres.Json;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Records who did what, in the transaction of the act. Callers give neither prompts nor secrets.
 */
@Singleton
public class Audit {

  private static final String INSERT =
      """
      insert into audit (id, tenant, subject, action, session_id, target, details)
      values (:id, :tenant, :subject, :action, :session, :target, :details::jsonb)
      """;

  private final Jdbi jdbi;
  private final Json json;
  private final Callers callers;

  Audit(Jdbi jdbi, Json json, Callers callers) {
    this.jdbi = jdbi;
    this.json = json;
    this.callers = callers;
  }

  /**
   * Records an act of the current caller. What no client asks for, such as the act of a model or of
   * a sweep, is not recorded.
   *
   * @param session that was used; null for none
   * @param target the id of what was used in addition; null for none
   */
  @Transactional(TxType.MANDATORY)
  public void record(
      String action, @Nullable SessionId session, @Nullable Object target, Map<String, ?> details) {
    callers.current().ifPresent(caller -> insert(caller, action, session, target, details));
  }

  /**
   * Records an act that happens as often as tasks do: without authentication, the row of the task
   * says as much, and nothing is written.
   */
  @Transactional(TxType.MANDATORY)
  public void recordIfKnown(String action, SessionId session, Object target) {
    callers
        .current()
        .filter(caller -> !caller.equals(Caller.ANONYMOUS))
        .ifPresent(caller -> insert(caller, action, session, target, Map.of()));
  }

  private void insert(
      Caller caller,
      String action,
      @Nullable SessionId session,
      @Nullable Object target,
      Map<String, ?> details) {
    jdbi.useHandle(handle ->
        handle
            .createUpdate(INSERT)
            .bind("id", Ids.next())
            .bind("tenant", caller.tenant())
            .bind("subject", caller.subject())
            .bind("action", action)
            .bind("session", session)
            .bind("target", Optional.ofNullable(target).map(Object::toString).orElse(null))
            .bind("details", details.isEmpty() ? null : json.write(details))
            .execute());
  }
}
