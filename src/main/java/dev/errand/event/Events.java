package dev.errand.event;

import dev.errand.conversation.EventId;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.postgres.Json;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import java.util.ArrayList;
import java.util.List;

/**
 * Where events are recorded (C4). They are written together when the transaction is about to
 * commit: the numbering's lock is the last that it takes, and the shortest that it holds.
 */
@ApplicationScoped
public class Events {

  private final TransactionSynchronizationRegistry transactions;
  private final EventStore store;
  private final Json json;
  private final Hints hints;

  Events(
      TransactionSynchronizationRegistry transactions, EventStore store, Json json, Hints hints) {
    this.transactions = transactions;
    this.store = store;
    this.json = json;
    this.hints = hints;
  }

  /** Records an event of the current transaction; when that is rolled back, it never was. */
  @Transactional(Transactional.TxType.MANDATORY)
  public void record(NewEvent event) {
    batch().rows.add(new EventStore.Row(EventId.next(), event, json.write(event.data())));
    hints.afterCommit(Topic.EVENTS);
  }

  /**
   * Records how a tool call gets on, in place of what was told of it before: whoever watches gets
   * each of them, whoever comes later the last one, and a long call fills no table.
   *
   * @param event its data has the {@code tool_call_id}
   */
  @Transactional(Transactional.TxType.MANDATORY)
  public void recordProgress(NewEvent event, String toolCallId) {
    store.forgetProgress(event.session(), toolCallId);
    record(event);
  }

  private Batch batch() {
    if (transactions.getResource(Events.class) instanceof Batch known) {
      return known;
    }
    var batch = new Batch(store);
    transactions.putResource(Events.class, batch);
    transactions.registerInterposedSynchronization(batch);
    return batch;
  }

  /** The events of one transaction. What is thrown before completion rolls it back. */
  private static final class Batch implements Synchronization {

    private final EventStore store;
    private final List<EventStore.Row> rows = new ArrayList<>();

    Batch(EventStore store) {
      this.store = store;
    }

    @Override
    public void beforeCompletion() {
      store.write(rows);
    }

    @Override
    public void afterCompletion(int status) {}
  }
}
