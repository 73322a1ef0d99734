package dev.errand.event;

import dev.errand.conversation.EventId;
import dev.errand.conversation.SessionId;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.postgres.Json;
import dev.errand.postgres.Pipeline;
import dev.errand.postgres.Statement;
import jakarta.inject.Singleton;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jdbi.v3.core.Jdbi;

/**
 * Records events. The events of a transaction are written together right before it commits, because
 * numbering them locks the tree, and this lock must be the last and the shortest.
 */
@Singleton
public class Events {

  /**
   * Numbers and inserts the events of one tree; it locks the tree's numbers until the transaction
   * ends. Its costs do not depend on the parameters, so PostgreSQL keeps its plan.
   */
  private static final String WRITE =
      """
      with log as (
        insert into event_log (root_id, last_number) values (:root, :count)
        on conflict (root_id) do update set last_number = event_log.last_number + excluded.last_number
        returning root_id, last_number - :count as before, clock_timestamp() as numbered_at)
      insert into event (root_id, number, session_id, id, type, subject, data, created_at)
      select root_id, before + place, session_id, fresh.id, type, subject, data::jsonb, numbered_at
      from log cross join unnest(:ids, :sessions, :types, :subjects, :data) with ordinality
           as fresh (id, session_id, type, subject, data, place)
      """;

  private static final String FORGET_PROGRESS =
      """
      delete from event
      where session_id = :session and type = 'tool.progress' and data ->> 'tool_call_id' = :call
      """;

  private final TransactionSynchronizationRegistry transactions;
  private final Jdbi jdbi;
  private final Trees trees;
  private final Json json;
  private final Hints hints;

  Events(
      TransactionSynchronizationRegistry transactions,
      Jdbi jdbi,
      Trees trees,
      Json json,
      Hints hints) {
    this.transactions = transactions;
    this.jdbi = jdbi;
    this.trees = trees;
    this.json = json;
    this.hints = hints;
  }

  /** Records an event in the current transaction. A rollback drops the event. */
  @Transactional(Transactional.TxType.MANDATORY)
  public void record(NewEvent event) {
    batch().rows.add(new EventRow(EventId.next(), event, json.write(event.data())));
  }

  /**
   * Records the progress of a tool call and deletes its earlier progress events, so that a long
   * call does not fill the table. An open stream gets each of them, a later one only the last.
   *
   * @param event an event whose data contain the {@code tool_call_id}
   */
  @Transactional(Transactional.TxType.MANDATORY)
  public void recordProgress(NewEvent event, String toolCallId) {
    jdbi.useHandle(handle ->
        handle
            .createUpdate(FORGET_PROGRESS)
            .bind("session", event.session())
            .bind("call", toolCallId)
            .execute());
    record(event);
  }

  /**
   * Executes a statement of the current transaction right before its events are written, in the
   * same round trip: one whose result is not needed, or one that locks a row for which many
   * transactions wait.
   */
  @Transactional(Transactional.TxType.MANDATORY)
  public void beforeEvents(Statement statement) {
    batch().first.add(statement);
  }

  private Batch batch() {
    if (transactions.getResource(Events.class) instanceof Batch known) {
      return known;
    }
    var batch = new Batch();
    transactions.putResource(Events.class, batch);
    transactions.registerInterposedSynchronization(batch);
    hints.afterCommit(Topic.EVENTS);
    return batch;
  }

  /** The events of one transaction. An exception before completion rolls it back. */
  private final class Batch implements Synchronization {

    private final List<Statement> first = new ArrayList<>();
    private final List<EventRow> rows = new ArrayList<>();

    @Override
    public void beforeCompletion() {
      var pipeline = new Pipeline();
      first.forEach(pipeline::update);
      byTree().forEach((_, ofTree) -> pipeline.update(insert(ofTree)));
      pipeline.execute(jdbi);
    }

    /**
     * Groups the events by trees in the order of ids, so that two transactions that write to the
     * same trees cannot deadlock.
     */
    private TreeMap<String, OfTree> byTree() {
      var sorted = new TreeMap<String, OfTree>();
      for (var row : rows) {
        trees
            .rootOf(row.event().session())
            .ifPresent(root ->
                sorted
                    .computeIfAbsent(root.toString(), _ -> new OfTree(root, new ArrayList<>()))
                    .rows()
                    .add(row));
      }
      return sorted;
    }

    @Override
    public void afterCompletion(int status) {}
  }

  private record EventRow(EventId id, NewEvent event, String data) {}

  private record OfTree(SessionId root, List<EventRow> rows) {}

  private static Statement insert(OfTree tree) {
    var rows = tree.rows();
    return Statement.of(WRITE)
        .bind("root", tree.root())
        .bind("count", rows.size())
        .bindArray("ids", "uuid", rows.stream().map(EventRow::id))
        .bindArray("sessions", "uuid", rows.stream().map(row -> row.event().session()))
        .bindArray("types", "text", rows.stream().map(row -> row.event().type().word()))
        .bindArray("subjects", "uuid", rows.stream().map(row -> row.event().subject()))
        .bindArray("data", "text", rows.stream().map(EventRow::data));
  }
}
