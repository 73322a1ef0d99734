package dev.errand.session;

import dev.errand.conversation.MessageId;
import dev.errand.postgres.Pipeline;
import dev.errand.session.SessionUsage.SessionTotals;
import jakarta.inject.Singleton;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/**
 * The ends of runs after which a session rests. It may rest only if its inbox, read while its row
 * is locked, contains nothing to continue with (architecture, rule 11).
 */
@Singleton
public class SessionRests {

  private final SessionTransitions sessions;
  private final TurnStore turns;
  private final Inbox inbox;
  private final WakeChain chain;
  private final SessionEvents events;
  private final TransactionSynchronizationRegistry transactions;
  private final Jdbi jdbi;

  SessionRests(
      SessionTransitions sessions,
      TurnStore turns,
      Inbox inbox,
      WakeChain chain,
      SessionEvents events,
      TransactionSynchronizationRegistry transactions,
      Jdbi jdbi) {
    this.sessions = sessions;
    this.turns = turns;
    this.inbox = inbox;
    this.chain = chain;
    this.events = events;
    this.transactions = transactions;
    this.jdbi = jdbi;
  }

  /**
   * Ends the run because there is nothing more to do.
   *
   * @return empty when an entry arrived meanwhile: the run has to continue, and this transaction is
   *     rolled back
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  public Optional<SessionTotals> idle(Lease lease) {
    return Optional.of(sessions.rest(lease, SessionState.IDLE))
        .filter(session -> staysIdle(session, inbox.waiting(session.id())));
  }

  /**
   * Saves an answer without tool calls and ends the run with it.
   *
   * @param id of the message; the same when the save is repeated
   * @return empty when the inbox has an entry to continue with: the run has to continue, and this
   *     transaction is rolled back
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  public Optional<NewMessages.Said> answer(Lease lease, MessageId id, TurnStore.Turn turn) {
    var pipeline = new Pipeline();
    var answer = turns.saveLast(pipeline, lease, id, turn);
    var waiting = inbox.waiting(pipeline, lease.session());
    pipeline.execute(jdbi);
    return Optional.of(answer.get()).filter(said -> staysIdle(said.session(), waiting.get()));
  }

  /** Notices that do not wake the session stay in its inbox for its next turn. */
  private boolean staysIdle(SessionTotals session, List<Inbox.Waiting> waiting) {
    if (waiting.isEmpty()) {
      events.state(session.id(), SessionState.IDLE, "finished");
      return true;
    }
    if (chain.holds(session.isRoot(), waiting)) {
      events.state(session.id(), SessionState.IDLE, "notices_held");
      events.noticesHeld(session.id(), waiting.size());
      return true;
    }
    transactions.setRollbackOnly();
    return false;
  }

  /**
   * Ends the run until the answer of a foreground task arrives.
   *
   * @return false when an answer arrived meanwhile: the run has to continue, and this transaction
   *     is rolled back
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  public boolean park(Lease lease) {
    sessions.rest(lease, SessionState.WAITING);
    var answered =
        inbox.waiting(lease.session()).stream()
            .anyMatch(waiting -> waiting.entry() instanceof InboxEntry.ToolAnswer);
    if (answered) {
      transactions.setRollbackOnly();
    } else {
      events.state(lease.session(), SessionState.WAITING, "foreground_tasks");
    }
    return !answered;
  }
}
