package dev.errand.session;

import dev.errand.conversation.Message;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.Role;
import dev.errand.conversation.SessionId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jdbi.v3.core.Jdbi;

/**
 * Between two turns: the answers of foreground tasks go to their calls, a finished set of calls
 * becomes the tool message, and only then do messages and notices enter the transcript – never
 * between a tool call and its result.
 */
@ApplicationScoped
public class TurnBoundary {

  private final Jdbi jdbi;
  private final Fence fence;
  private final Inbox inbox;
  private final Transcript transcript;
  private final ToolLedger ledger;
  private final PlannedCalls calls;
  private final WakeChain chain;
  private final TreeStore trees;
  private final SessionEvents events;

  TurnBoundary(
      Jdbi jdbi,
      Fence fence,
      Inbox inbox,
      Transcript transcript,
      ToolLedger ledger,
      PlannedCalls calls,
      WakeChain chain,
      TreeStore trees,
      SessionEvents events) {
    this.jdbi = jdbi;
    this.fence = fence;
    this.inbox = inbox;
    this.transcript = transcript;
    this.ledger = ledger;
    this.calls = calls;
    this.chain = chain;
    this.trees = trees;
    this.events = events;
  }

  /**
   * The state after reading the inbox.
   *
   * @param added the messages that entered the transcript, in order
   * @param open the calls that have no result yet; while there is one, nothing else enters
   * @param call the model call that follows, reported as started; empty when none follows
   * @param runTurns turns since the session was last idle
   * @param oldestEnd the end of the task that ended first, of those whose results were read
   * @param traces the traces that the entries belong to
   */
  public record Settled(
      List<StoredMessage> added,
      List<OpenCall> open,
      Optional<ModelCall> call,
      int runTurns,
      Optional<Instant> oldestEnd,
      List<String> traces) {}

  /**
   * Reads the inbox as far as it may be read now.
   *
   * @param last the last message of the transcript, not counting system messages; a run knows it,
   *     because nobody else writes to its transcript
   * @param model that is called if there is something to answer
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional
  public Settled settle(Lease lease, Optional<StoredMessage> last, String model) {
    var held = fence.hold(lease);
    var runTurns = held.runTurns();
    var waiting = inbox.waiting(lease.session());
    takeAnswers(lease.session(), waiting);
    var open = openCalls(lease.session(), last);
    var added = new ArrayList<StoredMessage>();
    if (open.isEmpty()) {
      var saidAll = last.filter(TurnBoundary::isFinalAnswer).isPresent();
      if (saidAll && chain.holds(held.isRoot(), waiting)) {
        waiting = List.of();
      }
      closeTurn(lease.session(), last, added);
      takeMessages(lease.session(), waiting, added);
      if (saidAll && held.isRoot() && !added.isEmpty()) {
        runTurns = 0;
      }
      begin(lease.session(), held, runTurns, waiting);
    }
    var read = waiting.stream().filter(entry -> open.isEmpty() || isAnswer(entry)).toList();
    var call = open.isEmpty() ? begun(lease, last, added, model) : Optional.<ModelCall>empty();
    return new Settled(added, open, call, runTurns, oldestEnd(read), traces(read));
  }

  private Optional<ModelCall> begun(
      Lease lease, Optional<StoredMessage> before, List<StoredMessage> added, String model) {
    var last = added.isEmpty() ? before : Optional.of(added.getLast());
    var call =
        last.filter(message -> message.message().role() != Role.ASSISTANT)
            .map(message -> ModelCall.first(message.seq() + 1, model));
    call.ifPresent(begun -> events.modelStarted(lease.session(), begun));
    return call;
  }

  /**
   * Brings a session whose run has ended into a state from which it can continue: open calls get
   * {@code answer} as an error, and all inbox entries enter the transcript. Called under the lock
   * of the session's row.
   */
  @Transactional(Transactional.TxType.MANDATORY)
  void close(SessionId session, String answer) {
    var waiting = inbox.waiting(session);
    takeAnswers(session, waiting);
    var last = transcript.last(session);
    for (var call : openCalls(session, last)) {
      ledger.answer(session, call.key(), new ToolLedger.Result(answer, true));
    }
    var added = new ArrayList<StoredMessage>();
    closeTurn(session, last, added);
    takeMessages(session, waiting, added);
  }

  /**
   * Takes all unread entries of a root at rest into its transcript, on behalf of its user. Called
   * under the lock of the session's row.
   *
   * @return whether the transcript ends with something to answer
   */
  @Transactional(Transactional.TxType.MANDATORY)
  boolean takeUp(SessionId root) {
    var waiting = inbox.waiting(root);
    var last = transcript.last(root);
    var unanswered = last.filter(message -> !isFinalAnswer(message)).isPresent();
    if (waiting.isEmpty() && !unanswered) {
      return false;
    }
    takeMessages(root, waiting, new ArrayList<>());
    chain.beginAnew(root);
    return true;
  }

  private static boolean isFinalAnswer(StoredMessage last) {
    return last.message().role() == Role.ASSISTANT && last.message().toolCalls().isEmpty();
  }

  /**
   * A turn begins with these entries. Those that arrive after a root's final answer start the count
   * of its turns again, as if the root had been idle; a child has its limit for the whole task.
   */
  private void begin(SessionId session, Fence.Held held, int runTurns, List<Inbox.Waiting> taken) {
    var generation = WakeChain.next(held, runTurns == 0, taken);
    if (runTurns != held.runTurns() || generation != held.generation()) {
      jdbi.useHandle(handle ->
          handle.execute(
              "update session set run_turns = ?, generation = ? where id = ?",
              runTurns,
              generation,
              session.value()));
    }
    if (held.isRoot() && WakeChain.hasMessage(taken)) {
      trees.beginTurn(session);
    }
  }

  private void takeAnswers(SessionId session, List<Inbox.Waiting> waiting) {
    for (var entry : waiting) {
      if (entry.entry() instanceof InboxEntry.ToolAnswer answer) {
        ledger.answer(session, answer.key(), answer.result());
        inbox.consume(entry);
      }
    }
  }

  private List<OpenCall> openCalls(SessionId session, Optional<StoredMessage> last) {
    return last.filter(message -> !message.message().toolCalls().isEmpty())
        .map(message -> calls.open(session, message))
        .orElse(List.of());
  }

  private void closeTurn(
      SessionId session, Optional<StoredMessage> last, List<StoredMessage> added) {
    last.filter(message -> !message.message().toolCalls().isEmpty())
        .ifPresent(
            message -> append(session, Message.tool(calls.results(session, message.seq())), added));
  }

  private void takeMessages(
      SessionId session, List<Inbox.Waiting> waiting, List<StoredMessage> added) {
    for (var entry : waiting) {
      if (!(entry.entry() instanceof InboxEntry.ToolAnswer)) {
        added.add(
            transcript.append(session, new MessageId(entry.id()), entry.entry(), entry.outbox()));
        inbox.consume(entry);
      }
    }
  }

  private void append(SessionId session, Message message, List<StoredMessage> added) {
    added.add(transcript.append(session, MessageId.next(), message));
  }

  private static boolean isAnswer(Inbox.Waiting entry) {
    return entry.entry() instanceof InboxEntry.ToolAnswer;
  }

  private static Optional<Instant> oldestEnd(List<Inbox.Waiting> read) {
    return read.stream()
        .flatMap(entry ->
            switch (entry.entry()) {
              case InboxEntry.ToolAnswer answer -> Stream.of(answer.taskEndedAt());
              case InboxEntry.Notice notice -> Stream.of(notice.taskEndedAt());
              case InboxEntry.UserMessage _ -> Stream.<Instant>empty();
            })
        .min(Instant::compareTo);
  }

  private static List<String> traces(List<Inbox.Waiting> read) {
    return read.stream().flatMap(entry -> Stream.ofNullable(entry.trace())).toList();
  }
}
