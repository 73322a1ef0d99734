package dev.errand.delivery;

import dev.errand.conversation.SessionId;
import dev.errand.outbox.Delivery;
import dev.errand.outbox.Delivery.DeliveryState;
import dev.errand.outbox.OutboxStore;
import dev.errand.postgres.Json;
import dev.errand.session.Arrivals;
import dev.errand.session.InboxEntry;
import dev.errand.session.SessionState;
import dev.errand.task.NestedTasks;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Puts deliveries into the inboxes of parents, which wakes them. An external parent reads the
 * notice in its messages.
 */
@Singleton
class ParentInbox {

  private final Arrivals arrivals;
  private final NestedTasks nested;
  private final OutboxStore outbox;
  private final DeliveryEvents events;
  private final Json json;

  ParentInbox(
      Arrivals arrivals, NestedTasks nested, OutboxStore outbox, DeliveryEvents events, Json json) {
    this.arrivals = arrivals;
    this.nested = nested;
    this.outbox = outbox;
    this.events = events;
    this.json = json;
  }

  /**
   * What became of rows. The other ones were not needed: they were settled before, or the session
   * takes no deliveries any more.
   *
   * @param held another transaction holds the session, or only a newer version of the service can
   *     read the row
   */
  record Outcome(List<Delivery> delivered, List<Delivery> held) {}

  /**
   * Delivers rows of one session and marks them delivered, in one transaction. The session is
   * locked before the rows, as everywhere.
   *
   * @param waits for a session that another transaction holds
   */
  @Transactional
  Outcome deliver(SessionId to, List<Delivery> rows, boolean waits) {
    var entries = readable(rows);
    var receiver = waits ? arrivals.lock(to) : arrivals.tryLock(to);
    if (entries.isEmpty() || (receiver.isEmpty() && !waits)) {
      return new Outcome(List.of(), rows);
    }
    var unreadable = rows.stream().filter(row -> !entries.containsKey(row)).toList();
    var isTaken = receiver.map(session -> takenBy(session, entries)).orElse(_ -> false);
    var byTaken = entries.keySet().stream().collect(Collectors.partitioningBy(isTaken));
    var refused = Objects.requireNonNull(byTaken.get(false));
    if (!refused.isEmpty()) {
      outbox.settle(ids(refused), DeliveryState.SUPPRESSED);
    }
    var taken = Objects.requireNonNull(byTaken.get(true));
    var settled = outbox.settle(ids(taken), DeliveryState.DELIVERED);
    var delivered = taken.stream().filter(row -> settled.containsKey(row.id())).toList();
    if (!delivered.isEmpty()) {
      arrivals.put(
          receiver.orElseThrow(),
          delivered.stream()
              .map(row -> arrival(row, Objects.requireNonNull(entries.get(row))))
              .toList());
      delivered.forEach(
          row -> events.delivered(row, Objects.requireNonNull(settled.get(row.id()))));
    }
    return new Outcome(delivered, unreadable);
  }

  private Map<Delivery, InboxEntry> readable(List<Delivery> rows) {
    var entries = new LinkedHashMap<Delivery, InboxEntry>();
    for (var row : rows) {
      json.readKnown(Objects.requireNonNull(row.payload()), InboxEntry.class)
          .ifPresent(entry -> entries.put(row, entry));
    }
    return entries;
  }

  private static Arrivals.Arrival arrival(Delivery row, InboxEntry entry) {
    return new Arrivals.Arrival(row.id(), row.generation(), row.delegatedAt(), entry);
  }

  /**
   * A closed session takes nothing, and a child whose own task has ended no notices: nothing waits
   * for its work. A tool call of it may still wait for its answer.
   */
  private Predicate<Delivery> takenBy(
      Arrivals.Receiver session, Map<Delivery, InboxEntry> entries) {
    var takesAnswers = session.state() != SessionState.CLOSED;
    var takesNotices = takesAnswers && !(session.isHostedChild() && nested.isOver(session.id()));
    return row -> entries.get(row) instanceof InboxEntry.ToolAnswer ? takesAnswers : takesNotices;
  }

  private static List<UUID> ids(List<Delivery> rows) {
    return rows.stream().map(Delivery::id).toList();
  }
}
