package dev.errand.session;

import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import jakarta.inject.Singleton;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.List;

/**
 * The ends of runs after which a session rests. It may rest only if its inbox, read while its row
 * is locked, contains nothing to continue with (architecture, rule 11).
 */
@Singleton
public class SessionRests {

  private final SessionTransitions sessions;
  private final TurnStore turns;
  private final Inbox inbox;
  private final Waits waits;
  private final WakeChain chain;
  private final SessionEvents events;
  private final TransactionSynchronizationRegistry transactions;

  SessionRests(
      SessionTransitions sessions,
      TurnStore turns,
      Inbox inbox,
      Waits waits,
      WakeChain chain,
      SessionEvents events,
      TransactionSynchronizationRegistry transactions) {
    this.sessions = sessions;
    this.turns = turns;
    this.inbox = inbox;
    this.waits = waits;
    this.chain = chain;
    this.events = events;
    this.transactions = transactions;
  }

  /** The outcome of the end of a run. */
  public sealed interface RestOutcome<T> {

    /** The session rests from this transaction on. */
    record Rests<T>(T end) implements RestOutcome<T> {}

    /**
     * The inbox has an entry to continue with. This transaction is rolled back, and the run has to
     * continue.
     */
    record Overtaken<T>() implements RestOutcome<T> {}
  }

  /**
   * Ends the run because there is nothing more to do.
   *
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  public RestOutcome<SessionTotals> idle(Lease lease) {
    var session = sessions.rest(lease);
    return idle(session, inbox.waiting(session.id()), session);
  }

  /**
   * Saves an answer without tool calls and ends the run with it.
   *
   * @param id of the message; the same when the save is repeated
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  public RestOutcome<NewMessages.AppendedMessage> answer(
      Lease lease, MessageId id, TurnStore.ModelTurn turn) {
    var last = turns.saveLast(lease, id, turn);
    return idle(last.said().session(), last.waiting(), last.said());
  }

  /**
   * A child that rests owes the end of its task, or waits for those below it: {@link #finished} or
   * {@link #waitsBelow} follows.
   */
  private <T> RestOutcome<T> idle(SessionTotals session, List<UnreadEntry> waiting, T end) {
    if (waiting.isEmpty()) {
      if (session.isRoot()) {
        finished(session.id());
      }
      return new RestOutcome.Rests<>(end);
    }
    if (chain.keeps(session.isRoot(), waiting)) {
      events.state(session.id(), SessionState.IDLE, "notices_held");
      events.noticesKept(session.id(), waiting.size());
      return new RestOutcome.Rests<>(end);
    }
    transactions.setRollbackOnly();
    return new RestOutcome.Overtaken<>();
  }

  /** Reports that a session is idle since this transaction. */
  @Transactional(TxType.MANDATORY)
  public void finished(SessionId session) {
    events.state(session, SessionState.IDLE, "finished");
  }

  /** Ends the wait of a child that this transaction has locked: it is idle. */
  @Transactional(TxType.MANDATORY)
  public void idle(SessionId child) {
    waits.end(child);
    finished(child);
  }

  /** Makes a child that this transaction has made idle wait for the tasks below it. */
  @Transactional(TxType.MANDATORY)
  public void waitsBelow(SessionId child) {
    waits.enter(child, WaitReason.BELOW);
  }

  /**
   * Ends the run until the answer of a foreground task arrives. An answer that has arrived
   * overtakes it.
   *
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  public RestOutcome<Lease> park(Lease lease) {
    waits.enter(lease, Waits.SessionWait.open(WaitReason.ANSWER, "foreground_tasks"));
    var answered =
        inbox.waiting(lease.session()).stream()
            .anyMatch(waiting -> waiting.entry() instanceof InboxEntry.ToolAnswer);
    if (answered) {
      transactions.setRollbackOnly();
      return new RestOutcome.Overtaken<>();
    }
    return new RestOutcome.Rests<>(lease);
  }
}
