package dev.errand.session;

import dev.errand.conversation.Message;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import org.jdbi.v3.core.Jdbi;

/** Takes sessions from their workers. Each method is one step in its caller's transaction. */
@ApplicationScoped
public class SessionStops {

  private static final String DISOWN =
      """
      update session
      set state = 'idle', epoch = epoch + 1, node_id = null, takeovers = 0, not_before = null, updated_at = now()
      where id = :id
      """;

  private final Jdbi jdbi;
  private final Transcript transcript;
  private final TurnBoundary boundary;
  private final SessionEvents events;

  SessionStops(Jdbi jdbi, Transcript transcript, TurnBoundary boundary, SessionEvents events) {
    this.jdbi = jdbi;
    this.transcript = transcript;
    this.boundary = boundary;
    this.events = events;
  }

  /**
   * Stops a session that cannot continue; {@code reason} is added for readers of the transcript.
   */
  @Transactional(TxType.MANDATORY)
  public void abandon(SessionId id, String reason) {
    stop(id, "Not done: " + reason, "failed");
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
    return stop(id, answer, "stopped");
  }

  private boolean stop(SessionId id, String answer, String reason) {
    var found =
        jdbi.withHandle(handle -> handle.createUpdate(DISOWN).bind("id", id.value()).execute());
    if (found == 1) {
      boundary.close(id, answer);
      events.state(id, SessionState.IDLE, reason);
    }
    return found == 1;
  }
}
