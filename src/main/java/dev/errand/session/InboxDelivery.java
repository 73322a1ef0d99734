package dev.errand.session;

import dev.errand.conversation.Ids;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.postgres.Pipeline;
import dev.errand.trace.TraceContext;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * The results of tasks on their way into the inbox of their parent: the session is locked once,
 * takes all its entries, and is queued at most once. "Already there" is success (architecture, rule
 * 10).
 */
@Singleton
public class InboxDelivery {

  private final Jdbi jdbi;
  private final Inbox inbox;
  private final FreshEntries fresh;
  private final ToolLedger ledger;
  private final RunQueue runQueue;
  private final WakeChain chain;
  private final SessionEvents events;

  InboxDelivery(
      Jdbi jdbi,
      Inbox inbox,
      FreshEntries fresh,
      ToolLedger ledger,
      RunQueue runQueue,
      WakeChain chain,
      SessionEvents events) {
    this.jdbi = jdbi;
    this.inbox = inbox;
    this.fresh = fresh;
    this.ledger = ledger;
    this.runQueue = runQueue;
    this.chain = chain;
    this.events = events;
  }

  /**
   * The entry of an outbox row.
   *
   * @param generation of the task that it reports
   * @param delegatedAt when this task was created; null when the entry is no end of a task
   * @param trace of the delivery; null when it is not traced
   */
  public record DeliveredEntry(
      UUID outbox,
      int generation,
      @Nullable Instant delegatedAt,
      @Nullable String trace,
      InboxEntry entry) {

    /** Returns an entry for no task's end, in the trace of this thread. */
    public static DeliveredEntry of(UUID outbox, InboxEntry entry) {
      return new DeliveredEntry(outbox, 0, null, TraceContext.current(), entry);
    }

    private boolean isOlderThan(@Nullable Instant stop) {
      return stop != null && delegatedAt != null && delegatedAt.isBefore(stop);
    }
  }

  /** Delivers one entry; a session that does not exist or is closed takes none. */
  @Transactional
  public void deliver(SessionId to, DeliveredEntry delivered) {
    var pipeline = new Pipeline();
    var locked = LockedParent.lock(pipeline, List.of(to), true);
    pipeline.execute(jdbi);
    locked.find().ifPresent(parent -> deliver(parent, List.of(delivered)));
  }

  /** Delivers entries; a closed session takes none. */
  @Transactional(TxType.MANDATORY)
  public void deliver(LockedParent to, List<DeliveredEntry> batch) {
    if (to.state() == SessionState.CLOSED) {
      return;
    }
    var entries = batch.stream().map(delivered -> entry(to, delivered)).toList();
    if (to.kind() == SessionKind.EXTERNAL) {
      addToMessages(to.id(), entries);
      return;
    }
    var older =
        batch.stream()
            .filter(delivered -> delivered.isOlderThan(to.stoppedAt()))
            .map(DeliveredEntry::outbox)
            .collect(Collectors.toSet());
    deliver(to, entries, wakingIn(to, entries, older));
  }

  private FreshEntries.FreshEntry entry(LockedParent to, DeliveredEntry delivered) {
    var isTooLate =
        delivered.entry() instanceof InboxEntry.ToolAnswer answer && isTooLate(to, answer.key());
    return new FreshEntries.FreshEntry(
        Ids.next(),
        delivered.outbox(),
        delivered.generation(),
        delivered.trace(),
        delivered.entry(),
        isTooLate);
  }

  /**
   * Returns whether a session at rest does not wait for this answer, because the call was answered
   * when the run was stopped. An idle session has no open call.
   */
  private boolean isTooLate(LockedParent to, CallKey call) {
    return to.state() == SessionState.IDLE
        || (to.state() == SessionState.WAITING && !ledger.isOpen(to.id(), call));
  }

  /**
   * This service does not run the loop of an external session, so it has no inbox: notices go
   * directly into its messages, and answers to the calls that wait for them.
   */
  private void addToMessages(SessionId to, List<FreshEntries.FreshEntry> entries) {
    var notices = entries.stream().filter(InboxDelivery::isNotice).toList();
    fresh.putIntoMessages(to, notices).forEach(said -> report(to, said));
    for (var entry : entries) {
      if (entry.entry() instanceof InboxEntry.ToolAnswer answer) {
        ledger.answer(to, answer.key(), answer.result());
      }
    }
  }

  private void report(SessionId to, FreshEntries.ReadEntry said) {
    var entry = said.entry();
    events.said(
        new SessionEvents.MessagePlace(
            new MessageId(entry.id()), to, said.seq(), null, null, null, said.createdAt()),
        entry.entry().asMessage(),
        MessageOrigin.of(entry.entry().task(), entry.outbox()));
  }

  /**
   * @param older entries of tasks that were delegated before the session was cancelled
   */
  private List<FreshEntries.FreshEntry> wakingIn(
      LockedParent to, List<FreshEntries.FreshEntry> entries, Set<UUID> older) {
    return entries.stream()
        .filter(entry -> wakes(to, entry) && !(isNotice(entry) && older.contains(entry.outbox())))
        .toList();
  }

  private boolean wakes(LockedParent to, FreshEntries.FreshEntry entry) {
    return switch (to.state()) {
      case IDLE -> isNotice(entry) && chain.wakes(to.isRoot(), entry.generation());
      case WAITING ->
          (to.waitsFor() == WaitReason.ANSWER && !isNotice(entry) && !entry.consumed())
              || (to.waitsFor() == WaitReason.BELOW && isNotice(entry));
      case QUEUED, RUNNING, CLOSED -> false;
    };
  }

  private void deliver(
      LockedParent to,
      List<FreshEntries.FreshEntry> entries,
      List<FreshEntries.FreshEntry> waking) {
    if (waking.isEmpty()) {
      var added = fresh.put(to.id(), entries);
      if (to.state() == SessionState.IDLE && added.stream().anyMatch(InboxDelivery::isNotice)) {
        events.noticesKept(to.id(), inbox.waiting(to.id()).size());
      }
      return;
    }
    var job = Ids.next();
    var wake = new FreshEntries.QueuedWake(job, !isNotice(waking.getFirst()));
    if (fresh.putAndQueue(to.id(), entries, waking, wake)) {
      runQueue.enqueue(to.id(), job);
      events.state(to.id(), SessionState.QUEUED, waking.getFirst().entry().kind());
    }
  }

  private static boolean isNotice(FreshEntries.FreshEntry entry) {
    return entry.entry() instanceof InboxEntry.Notice;
  }
}
