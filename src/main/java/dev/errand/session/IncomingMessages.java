package dev.errand.session;

import dev.errand.conversation.Message;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.Usage;
import dev.errand.postgres.Json;
import dev.errand.postgres.Pipeline;
import dev.errand.postgres.Statement;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** The messages that enter a transcript at a turn boundary, written in one statement. */
@Singleton
class IncomingMessages {

  private static final String APPEND =
      """
      with place as (
        update session
        set next_seq = next_seq + :count, run_turns = coalesce(:runTurns::int, run_turns),
            generation = coalesce(:generation::int, generation), updated_at = now()
        where id = :session
        returning next_seq - :count as first, epoch),
      consumed as (
        update inbox set consumed_at = now() where session_id = :session and consumed_at is null and id = any(:ids))
      insert into message (session_id, seq, id, role, kind, content, epoch, input_tokens, cached_input_tokens, output_tokens,
                           task_id, delivery_id)
      select :session, first + line.place - 1, line.id, role, kind, content::json, epoch, 0, 0, 0, task, delivery
      from place cross join unnest(:ids, :roles, :kinds, :contents, :tasks, :deliveries) with ordinality
           as line (id, role, kind, content, task, delivery, place)
      order by line.place
      """;

  private final Jdbi jdbi;
  private final Json json;
  private final SessionEvents events;

  IncomingMessages(Jdbi jdbi, Json json, SessionEvents events) {
    this.jdbi = jdbi;
    this.json = json;
    this.events = events;
  }

  /** A message to append. */
  record IncomingMessage(MessageId id, Message message, MessageOrigin origin) {

    static IncomingMessage of(Message message) {
      return new IncomingMessage(MessageId.next(), message, MessageOrigin.NONE);
    }

    static IncomingMessage of(UnreadEntry waiting) {
      return new IncomingMessage(
          new MessageId(waiting.id()),
          waiting.entry().asMessage(),
          MessageOrigin.of(waiting.entry().task(), waiting.outbox()));
    }
  }

  /**
   * The place where messages enter, and the turn that begins with them.
   *
   * @param nextSeq the place of the first message, as read under the lock of the session's row
   * @param now the time of the transaction
   * @param runTurns null leaves the number as it is
   * @param generation null leaves the number as it is
   */
  record MessageEntry(
      SessionId session,
      long nextSeq,
      Instant now,
      @Nullable Integer runTurns,
      @Nullable Integer generation) {

    /** Returns the place of messages that enter in the same turn. */
    static MessageEntry of(SessionId session, BoundaryStore.BoundaryState found) {
      return new MessageEntry(session, found.nextSeq(), found.now(), null, null);
    }

    MessageEntry turn(int turns, int of) {
      return new MessageEntry(session, nextSeq, now, turns, of);
    }
  }

  /**
   * Appends messages, under the lock of the session's row. Inbox entries with their ids are
   * consumed.
   */
  @Transactional(TxType.MANDATORY)
  List<StoredMessage> append(MessageEntry entry, List<IncomingMessage> lines) {
    if (!lines.isEmpty()) {
      Pipeline.execute(jdbi, statement(entry, lines));
    }
    return said(entry, lines);
  }

  /** Appends messages together with the events, as the last step of the transaction. */
  @Transactional(TxType.MANDATORY)
  List<StoredMessage> appendWithEvents(MessageEntry entry, List<IncomingMessage> lines) {
    if (!lines.isEmpty()) {
      events.with(statement(entry, lines));
    }
    return said(entry, lines);
  }

  private Statement statement(MessageEntry entry, List<IncomingMessage> lines) {
    return Statement.of(APPEND)
        .bind("session", entry.session())
        .bind("count", lines.size())
        .bind("runTurns", entry.runTurns())
        .bind("generation", entry.generation())
        .bindArray("ids", "uuid", lines.stream().map(IncomingMessage::id))
        .bindArray("roles", "text", lines.stream().map(line -> line.message().role()))
        .bindArray("kinds", "text", lines.stream().map(line -> line.message().kind()))
        .bindArray(
            "contents",
            "text",
            lines.stream().map(line -> json.write(line.message().content(), NewMessages.CONTENT)))
        .bindArray("tasks", "uuid", lines.stream().map(line -> line.origin().task()))
        .bindArray("deliveries", "uuid", lines.stream().map(line -> line.origin().delivery()));
  }

  private List<StoredMessage> said(MessageEntry entry, List<IncomingMessage> lines) {
    return IntStream.range(0, lines.size())
        .mapToObj(at -> said(entry, lines.get(at), entry.nextSeq() + at))
        .toList();
  }

  private StoredMessage said(MessageEntry entry, IncomingMessage line, long seq) {
    events.said(
        new SessionEvents.MessagePlace(
            line.id(), entry.session(), seq, null, null, null, entry.now()),
        line.message(),
        line.origin());
    return new StoredMessage(line.id(), seq, line.message(), Usage.NONE, null, entry.now());
  }
}
