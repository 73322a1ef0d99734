package dev.errand.session;

import dev.errand.conversation.Message;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/** Takes sessions from their workers. Each method is one step in its caller's transaction. */
@Singleton
public class SessionStops {

  private static final String DISOWN =
      """
      update session
      set state = 'idle', epoch = epoch + 1, node_id = null, takeovers = 0, updated_at = now(),
          model_away_since = null, model_tries = 0,
          waits_for = null, waits_since = null, waits_until = null, waits_order = null, waits_on = null
      from (select id, state from session where id = :id for no key update) before
      where session.id = before.id
      returning before.state
      """;

  private final Jdbi jdbi;
  private final Transcript transcript;
  private final TurnBoundary boundary;
  private final SessionEvents events;
  private final ModelCallEvents modelCalls;

  SessionStops(
      Jdbi jdbi,
      Transcript transcript,
      TurnBoundary boundary,
      SessionEvents events,
      ModelCallEvents modelCalls) {
    this.jdbi = jdbi;
    this.transcript = transcript;
    this.boundary = boundary;
    this.events = events;
    this.modelCalls = modelCalls;
  }

  /**
   * Stops a session that cannot continue; {@code reason} is added for readers of the transcript.
   */
  @Transactional(TxType.MANDATORY)
  public void abandon(SessionId id, String reason) {
    var ignored = disown(id, "Not done: " + reason, "failed");
    transcript.append(id, MessageId.next(), Message.system(reason));
  }

  /**
   * Takes the session from its current or next worker and leaves it idle: a run that still writes
   * finds its lease lost. Open tool calls are answered with {@code answer}.
   *
   * @return false when the session does not exist
   */
  @Transactional(TxType.MANDATORY)
  public boolean stop(SessionId id, String answer) {
    var before = disown(id, answer, "stopped");
    if (before.filter(SessionState.RUNNING.word()::equals).isPresent()) {
      modelCalls.lost(id, "stopped");
    }
    return before.isPresent();
  }

  /**
   * Remembers that a session was cancelled: the end of a task that was delegated before this does
   * not wake it. Called under the lock of the session's row.
   */
  @Transactional(TxType.MANDATORY)
  public void cancelled(SessionId id) {
    jdbi.useHandle(handle ->
        handle.execute("update session set stopped_at = clock_timestamp() where id = ?", id));
  }

  /** Returns the state before that; empty when the session does not exist. */
  private Optional<String> disown(SessionId id, String answer, String reason) {
    var before =
        jdbi.withHandle(
            handle -> handle.createQuery(DISOWN).bind("id", id).mapTo(String.class).findOne());
    if (before.isPresent()) {
      boundary.close(id, answer);
      events.state(id, SessionState.IDLE, reason);
    }
    return before;
  }
}
