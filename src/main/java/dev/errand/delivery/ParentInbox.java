package dev.errand.delivery;

import dev.errand.conversation.SessionId;
import dev.errand.outbox.Delivery;
import dev.errand.outbox.DeliveryState;
import dev.errand.outbox.OutboxStore;
import dev.errand.postgres.AfterCommit;
import dev.errand.postgres.Pipeline;
import dev.errand.session.InboxDelivery;
import dev.errand.session.LockedParent;
import dev.errand.session.SessionState;
import dev.errand.task.NestedTasks;
import dev.errand.task.OwedResults;
import dev.errand.task.OwedResults.OwedQuery;
import dev.errand.task.OwedResults.OwedResult;
import dev.errand.task.notice.Results;
import dev.errand.trace.Spans;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;

/**
 * Puts results into the inboxes of parents, which wakes them. An external parent reads the notice
 * in its messages.
 */
@Singleton
class ParentInbox {

  private final Jdbi jdbi;
  private final InboxDelivery inboxes;
  private final OwedResults owed;
  private final Results results;
  private final NestedTasks nested;
  private final OutboxStore outbox;
  private final DeliveryEvents events;
  private final Spans spans;
  private final AfterCommit afterCommit;

  ParentInbox(
      Jdbi jdbi,
      InboxDelivery inboxes,
      OwedResults owed,
      Results results,
      NestedTasks nested,
      OutboxStore outbox,
      DeliveryEvents events,
      Spans spans,
      AfterCommit afterCommit) {
    this.jdbi = jdbi;
    this.inboxes = inboxes;
    this.owed = owed;
    this.results = results;
    this.nested = nested;
    this.outbox = outbox;
    this.events = events;
    this.spans = spans;
    this.afterCommit = afterCommit;
  }

  /**
   * The outcome of the deliveries to some parents. Rows that are not delivered were not needed:
   * they were settled before, or the session takes no deliveries any more.
   *
   * @param handled rows that were looked at
   * @param locked the parents that another transaction has locked; nothing changed for them
   * @param more whether rows were left out because of their size
   */
  record BatchOutcome(
      int handled, List<Delivery> delivered, List<SessionId> locked, boolean more) {}

  /**
   * Delivers what is due to these parents and marks it delivered, in one transaction. It locks the
   * sessions in the order of their ids before the rows, as everywhere, and waits for at most one.
   *
   * @param waits for a session that another transaction has locked
   */
  @Transactional
  BatchOutcome deliver(OwedQuery asked, boolean waits) {
    var pipeline = new Pipeline();
    var locked = LockedParent.lock(pipeline, asked.parents(), waits);
    var due = owed.read(pipeline, asked);
    pipeline.execute(jdbi);
    var receivers =
        locked.list().stream().collect(Collectors.toMap(LockedParent::id, Function.identity()));
    // Without a session that could be waited for, there is none: its rows are not needed.
    var rows = due.list().stream().filter(row -> waits || receivers.containsKey(to(row))).toList();
    var isTaken = takenBy(receivers.values());
    settle(rows.stream().filter(isTaken.negate()).toList(), DeliveryState.SUPPRESSED);
    var delivered = settle(rows.stream().filter(isTaken).toList(), DeliveryState.DELIVERED);
    for (var receiver : locked.list()) {
      var own = delivered.stream().filter(row -> to(row).equals(receiver.id())).toList();
      if (!own.isEmpty()) {
        inboxes.deliver(receiver, own.stream().map(this::delivered).toList());
      }
    }
    delivered.forEach(row -> events.delivered(row.delivery()));
    return new BatchOutcome(
        rows.size(),
        delivered.stream().map(OwedResult::delivery).toList(),
        waits
            ? List.of()
            : asked.parents().stream().filter(id -> !receivers.containsKey(id)).toList(),
        rows.stream().anyMatch(OwedResult::isLast));
  }

  private List<OwedResult> settle(List<OwedResult> rows, DeliveryState state) {
    if (rows.isEmpty()) {
      return rows;
    }
    var settled = outbox.settle(rows.stream().map(ParentInbox::id).toList(), state);
    return rows.stream().filter(row -> settled.contains(id(row))).toList();
  }

  /** The span of a delivery is reported when the transaction is committed. */
  private InboxDelivery.DeliveredEntry delivered(OwedResult row) {
    var delivery = row.delivery();
    var span = spans.open(delivery.to().toString(), delivery.target(), delivery.traceParent());
    afterCommit.run(span::end);
    return new InboxDelivery.DeliveredEntry(
        delivery.id(),
        row.task().generation(),
        row.task().createdAt(),
        span.traceParent(),
        results.entry(row.task()));
  }

  /**
   * A closed session takes nothing, and a child whose own task has ended no notices: nothing waits
   * for its work. A tool call of it may still wait for its answer.
   */
  private Predicate<OwedResult> takenBy(Iterable<LockedParent> receivers) {
    var open = new HashSet<SessionId>();
    var working = new HashSet<SessionId>();
    for (var receiver : receivers) {
      if (receiver.state() != SessionState.CLOSED) {
        open.add(receiver.id());
        if (!(receiver.isHostedChild() && nested.isOver(receiver.id()))) {
          working.add(receiver.id());
        }
      }
    }
    return row -> (row.task().answersCall() ? open : working).contains(to(row));
  }

  private static SessionId to(OwedResult row) {
    return row.delivery().to();
  }

  private static UUID id(OwedResult row) {
    return row.delivery().id();
  }
}
