package dev.errand.session;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.SessionId;
import dev.errand.postgres.Json;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Runs that failed for good. The error stays on the session until its next saved turn. */
@Singleton
public class SessionFailures {

  private static final String KEEP =
      """
      update session set error_code = :code, error_message = :message, error_at = clock_timestamp()
      where id = :id
      returning parent_id is null as root, error_at, origin
      """;

  private record StoredFailure(boolean isRoot, FailedSession failure) {}

  private final Jdbi jdbi;
  private final SessionEvents events;
  private final Json json;

  SessionFailures(Jdbi jdbi, SessionEvents events, Json json) {
    this.jdbi = jdbi;
    this.events = events;
    this.json = json;
  }

  /**
   * Records that the run of a session failed for good.
   *
   * @return what to report to the user of a root session; empty for a child, whose parent gets the
   *     end of its task
   */
  @Transactional(TxType.MANDATORY)
  public Optional<FailedSession> failed(SessionId session, String code, String message) {
    var failure =
        jdbi.withHandle(handle ->
                handle
                    .createQuery(KEEP)
                    .bind("id", session)
                    .bind("code", code)
                    .bind("message", message)
                    .map((row, _) ->
                        new StoredFailure(
                            row.getBoolean("root"),
                            new FailedSession(
                                session,
                                new SessionError(
                                    code, message, row.getTimestamp("error_at").toInstant()),
                                json.readTree(row.getString("origin")))))
                    .findOne())
            .filter(StoredFailure::isRoot)
            .map(StoredFailure::failure);
    failure.ifPresent(events::failed);
    return failure;
  }

  /**
   * A root session whose run failed for good, as clients get it. One component per field of the
   * wire format.
   *
   * @param origin where the conversation takes place, as the session's creator gave it; left out
   *     when not given
   */
  @JsonInclude(Include.NON_NULL)
  public record FailedSession(SessionId sessionId, SessionError error, @Nullable JsonNode origin) {}

  /**
   * The reason why a session's last model call or run failed.
   *
   * @param code a word for programs, for example {@code model_unauthorized}
   * @param message a sentence for people
   */
  public record SessionError(String code, String message, Instant at) {}
}
