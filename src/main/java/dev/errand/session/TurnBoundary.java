package dev.errand.session;

import dev.errand.conversation.Message;
import dev.errand.conversation.MessageRole;
import dev.errand.conversation.SessionId;
import dev.errand.session.IncomingMessages.MessageEntry;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Settles the inbox between two turns: the answers of foreground tasks go to their calls, a
 * finished set of calls becomes the tool message, and only then do messages and notices enter the
 * transcript – never between a tool call and its result.
 */
@Singleton
public class TurnBoundary {

  private final BoundaryStore rows;
  private final IncomingMessages messages;
  private final Inbox inbox;
  private final Transcript transcript;
  private final ToolLedger ledger;
  private final WakeChain chain;
  private final TreeStore trees;
  private final ModelCallEvents modelCalls;

  TurnBoundary(
      BoundaryStore rows,
      IncomingMessages messages,
      Inbox inbox,
      Transcript transcript,
      ToolLedger ledger,
      WakeChain chain,
      TreeStore trees,
      ModelCallEvents modelCalls) {
    this.rows = rows;
    this.messages = messages;
    this.inbox = inbox;
    this.transcript = transcript;
    this.ledger = ledger;
    this.chain = chain;
    this.trees = trees;
    this.modelCalls = modelCalls;
  }

  /**
   * The state after reading the inbox.
   *
   * @param open the calls that have no result yet; while there is one, nothing else enters
   * @param call the model call that follows, reported as started; empty when none follows
   * @param runTurns turns since the session was last idle
   * @param oldestEnd the end of the task that ended first, of those whose results were read
   * @param traces the traces that the entries belong to
   * @param tree the limits of the session's tree and their use
   * @param usedToday by the session's tenant; null when it was not asked for
   */
  public record SettledTurn(
      List<OpenCall> open,
      Optional<ModelCall> call,
      int runTurns,
      Optional<Instant> oldestEnd,
      List<String> traces,
      TreeStore.Tree tree,
      DayQuotas.@Nullable UsedToday usedToday) {}

  /** The transcript with the messages that have entered it now, and the state. */
  public record BegunTurn(Transcript.CurrentTranscript transcript, SettledTurn settled) {}

  /**
   * Reads the inbox as far as it may be read now.
   *
   * @param model that is called if there is something to answer
   * @param limited whether the session's tenant has a quota of a day
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional
  public BegunTurn settle(Lease lease, String model, boolean limited) {
    return settle(lease.session(), model, rows.lock(lease, limited));
  }

  /** Settles the inbox in the transaction that has claimed the session. */
  @Transactional(Transactional.TxType.MANDATORY)
  public BegunTurn settle(Session claimed, SessionClaims.BoundaryRead look) {
    return settle(claimed.id(), claimed.model(), look);
  }

  private BegunTurn settle(SessionId session, String model, SessionClaims.BoundaryRead look) {
    var last = look.transcript().last();
    var found = look.found();
    var asking = last.filter(TurnBoundary::asksForCalls);
    if (!found.broken().isEmpty()) {
      throw new IllegalStateException("the session's inbox has an unreadable entry");
    }
    var locked = found.locked();
    var waiting = found.waiting();
    var calls = takeAnswers(session, found);
    var open = open(calls, asking);
    var saidAll = last.filter(TurnBoundary::isFinalAnswer).isPresent();
    if (saidAll && chain.keeps(locked.isRoot(), waiting)) {
      waiting = List.of();
    }
    var runTurns = locked.runTurns();
    var call = Optional.<ModelCall>empty();
    var added = List.<StoredMessage>of();
    if (open.isEmpty()) {
      var lines = lines(asking, calls, waiting);
      // Entries that arrive after a root's final answer start the count of its turns again, as if
      // the root had been idle; a child has its limit for the whole task.
      runTurns = saidAll && locked.isRoot() && !lines.isEmpty() ? 0 : runTurns;
      var generation = WakeChain.next(locked, runTurns == 0, last, waiting);
      added =
          messages.appendWithEvents(
              MessageEntry.of(session, found).turn(runTurns, generation), lines);
      if (locked.isRoot() && found.tree().turnDelegations() > 0 && WakeChain.hasMessage(waiting)) {
        trees.beginTurn(session);
      }
      call = begun(session, last, added, found.nextSeq(), model);
    }
    var read = waiting.stream().filter(entry -> open.isEmpty() || entry.isAnswer()).toList();
    return new BegunTurn(
        look.transcript().with(added),
        new SettledTurn(
            open, call, runTurns, oldestEnd(read), traces(read), found.tree(), found.usedToday()));
  }

  private Optional<ModelCall> begun(
      SessionId session,
      Optional<StoredMessage> before,
      List<StoredMessage> added,
      long nextSeq,
      String model) {
    var last = added.isEmpty() ? before : Optional.of(added.getLast());
    var call =
        last.filter(message -> message.message().role() != MessageRole.ASSISTANT)
            .map(_ -> ModelCall.first(nextSeq + added.size(), model));
    call.ifPresent(begun -> modelCalls.started(session, begun));
    return call;
  }

  /**
   * Brings a session whose run has ended into a state from which it can continue: open calls get
   * {@code answer} as an error, and all inbox entries enter the transcript, except broken ones,
   * which are consumed. Called under the lock of the session's row.
   */
  @Transactional(Transactional.TxType.MANDATORY)
  void close(SessionId session, String answer) {
    var asking = transcript.last(session).filter(TurnBoundary::asksForCalls);
    var found = rows.look(session, false);
    inbox.consume(found.broken());
    var calls = takeAnswers(session, found);
    var open = open(calls, asking);
    open.forEach(call -> ledger.answer(session, call.key(), new CallResult(answer, true)));
    var closed = open.isEmpty() ? calls : rows.look(session, false).calls();
    var ignored =
        messages.append(MessageEntry.of(session, found), lines(asking, closed, found.waiting()));
  }

  /**
   * Takes all unread entries of a root at rest into its transcript, on behalf of its user. Called
   * under the lock of the session's row.
   *
   * @return whether the transcript ends with something to answer
   */
  @Transactional(Transactional.TxType.MANDATORY)
  boolean takeUp(SessionId root) {
    var found = rows.look(root, false);
    var waiting = found.waiting();
    var last = transcript.last(root);
    var unanswered = last.filter(message -> !isFinalAnswer(message)).isPresent();
    if (waiting.isEmpty() && !unanswered) {
      return false;
    }
    var ignored =
        messages.append(MessageEntry.of(root, found), lines(Optional.empty(), List.of(), waiting));
    chain.restart(root);
    return true;
  }

  private static boolean isFinalAnswer(StoredMessage last) {
    return last.message().role() == MessageRole.ASSISTANT && last.message().toolCalls().isEmpty();
  }

  private static boolean asksForCalls(StoredMessage last) {
    return !last.message().toolCalls().isEmpty();
  }

  /** Returns the calls after that. */
  private List<BoundaryStore.LastCall> takeAnswers(
      SessionId session, BoundaryStore.BoundaryState found) {
    var answers = found.waiting().stream().filter(UnreadEntry::isAnswer).toList();
    if (answers.isEmpty()) {
      return found.calls();
    }
    for (var entry : answers) {
      if (entry.entry() instanceof InboxEntry.ToolAnswer answer) {
        ledger.answer(session, answer.key(), answer.result());
      }
    }
    inbox.consume(answers.stream().map(UnreadEntry::id).toList());
    return rows.look(session, false).calls();
  }

  private static List<OpenCall> open(
      List<BoundaryStore.LastCall> calls, Optional<StoredMessage> asking) {
    return asking.stream()
        .flatMap(message ->
            calls.stream()
                .filter(BoundaryStore.LastCall::isOpen)
                .map(call -> call.askedBy(message)))
        .toList();
  }

  /** Returns the new lines of the transcript: results of the last calls, then the entries. */
  private static List<IncomingMessages.IncomingMessage> lines(
      Optional<StoredMessage> asking,
      List<BoundaryStore.LastCall> calls,
      List<UnreadEntry> waiting) {
    var results =
        asking.map(_ ->
            IncomingMessages.IncomingMessage.of(
                Message.tool(calls.stream().map(BoundaryStore.LastCall::asResult).toList())));
    var entries =
        waiting.stream()
            .filter(entry -> !entry.isAnswer())
            .map(IncomingMessages.IncomingMessage::of);
    return Stream.concat(results.stream(), entries).toList();
  }

  private static Optional<Instant> oldestEnd(List<UnreadEntry> read) {
    return read.stream().flatMap(entry -> entry.taskEndedAt().stream()).min(Instant::compareTo);
  }

  private static List<String> traces(List<UnreadEntry> read) {
    return read.stream().flatMap(entry -> Stream.ofNullable(entry.trace())).toList();
  }
}
