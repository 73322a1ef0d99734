package dev.errand.session;

import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.postgres.Json;
import dev.errand.postgres.Pipeline;
import dev.errand.postgres.Statement;
import dev.errand.trace.TraceContext;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * The inbox table. Written under the lock of the session's row, so that a session cannot rest while
 * an entry arrives.
 */
@Singleton
class Inbox {

  private static final String PUT =
      """
      insert into inbox (id, session_id, kind, body, trace_parent)
      values (:id, :session, :kind, :body::jsonb, :trace)
      """;

  private static final String WAITING =
      """
      select id, source_outbox_id, generation, trace_parent, body from inbox
      where session_id = :session and consumed_at is null order by position
      """;

  private final Jdbi jdbi;
  private final Json json;

  Inbox(Jdbi jdbi, Json json) {
    this.jdbi = jdbi;
    this.json = json;
  }

  /**
   * Inserts a message.
   *
   * @param id becomes the id of its message in the transcript
   */
  @Transactional(Transactional.TxType.MANDATORY)
  void put(SessionId session, MessageId id, InboxEntry.UserMessage message) {
    jdbi.useHandle(handle ->
        handle
            .createUpdate(PUT)
            .bind("id", id)
            .bind("session", session)
            .bind("kind", message.kind())
            .bind("body", json.write(message))
            .bind("trace", TraceContext.current())
            .execute());
  }

  /** Returns the unread entries, in the order in which they are read. */
  List<UnreadEntry> waiting(SessionId session) {
    var pipeline = new Pipeline();
    var entries = waiting(pipeline, session);
    pipeline.execute(jdbi);
    return inOrder(entries);
  }

  /** Adds to a pipeline what reads the unread entries; {@link #inOrder} follows its execution. */
  Pipeline.Rows<Optional<UnreadEntry>> waiting(Pipeline pipeline, SessionId session) {
    return pipeline.query(Statement.of(WAITING).bind("session", session), (row, _) -> waiting(row));
  }

  /** Returns the entries in the order in which they are read. */
  static List<UnreadEntry> inOrder(Pipeline.Rows<Optional<UnreadEntry>> entries) {
    return InboxOrder.of(entries.list().stream().flatMap(Optional::stream).toList());
  }

  /**
   * Reads an entry; empty for a kind that this version does not know: a newer version will read it.
   */
  private Optional<UnreadEntry> waiting(ResultSet row) throws SQLException {
    var id = row.getObject("id", UUID.class);
    var outbox = row.getObject("source_outbox_id", UUID.class);
    var generation = row.getInt("generation");
    var trace = row.getString("trace_parent");
    return json.readKnown(row.getString("body"), InboxEntry.class)
        .map(entry -> new UnreadEntry(id, outbox, generation, trace, entry));
  }

  /** Returns whether an unread entry of this outbox row was removed. */
  @Transactional(Transactional.TxType.MANDATORY)
  boolean withdraw(UUID outboxId) {
    return jdbi.withHandle(handle ->
        handle.execute(
            "delete from inbox where source_outbox_id = ? and consumed_at is null", outboxId))
        == 1;
  }

  @Transactional(Transactional.TxType.MANDATORY)
  void consume(List<UUID> entries) {
    if (!entries.isEmpty()) {
      jdbi.useHandle(handle ->
          handle
              .createUpdate("update inbox set consumed_at = now() where id = any(:ids)")
              .bindArray("ids", UUID.class, entries)
              .execute());
    }
  }

  /**
   * The order in which an inbox is read. Users' messages keep their places; the places of notices
   * are filled in the order in which their tasks ended, because the relay may deliver the later one
   * first.
   */
  static final class InboxOrder {

    private static final Comparator<UnreadEntry> BY_COMPLETION =
        Comparator.comparing((UnreadEntry waiting) -> notice(waiting).taskEndedAt())
            .thenComparing(waiting -> String.valueOf(waiting.outbox()));

    private InboxOrder() {}

    static List<UnreadEntry> of(List<UnreadEntry> asTheyCame) {
      var notices =
          asTheyCame.stream().filter(InboxOrder::isNotice).sorted(BY_COMPLETION).iterator();
      return asTheyCame.stream()
          .map(waiting -> isNotice(waiting) ? notices.next() : waiting)
          .toList();
    }

    private static boolean isNotice(UnreadEntry waiting) {
      return waiting.entry() instanceof InboxEntry.Notice;
    }

    private static InboxEntry.Notice notice(UnreadEntry waiting) {
      return (InboxEntry.Notice) waiting.entry();
    }
  }
}
