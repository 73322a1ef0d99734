package dev.errand.session;

import dev.errand.conversation.Message;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.Usage;
import dev.errand.postgres.Json;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
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
      select :session, first + line.place - 1, line.id, role, kind, content::jsonb, epoch, 0, 0, 0, task, delivery
      from place cross join unnest(:ids, :roles, :kinds, :contents, :tasks, :deliveries) with ordinality
           as line (id, role, kind, content, task, delivery, place)
      order by line.place
      returning seq, created_at
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
  record Line(MessageId id, Message message, SessionEvents.Origin origin) {

    static Line of(Message message) {
      return new Line(MessageId.next(), message, SessionEvents.Origin.NONE);
    }

    static Line of(Inbox.Waiting waiting) {
      return new Line(
          new MessageId(waiting.id()),
          waiting.entry().asMessage(),
          SessionEvents.Origin.of(waiting.entry().task(), waiting.outbox()));
    }

    private @Nullable UUID task() {
      var task = origin.task();
      return task == null ? null : task.value();
    }

    private @Nullable UUID delivery() {
      var delivery = origin.delivery();
      return delivery == null ? null : delivery.value();
    }
  }

  /** The turn that begins with the messages; null leaves a column as it is. */
  record Turn(@Nullable Integer runTurns, @Nullable Integer generation) {

    static final Turn SAME = new Turn(null, null);
  }

  private record Place(long seq, Instant createdAt) {}

  /**
   * Appends messages, under the lock of the session's row. Inbox entries with their ids are
   * consumed.
   */
  @Transactional(TxType.MANDATORY)
  List<StoredMessage> append(SessionId session, List<Line> lines, Turn turn) {
    if (lines.isEmpty()) {
      return List.of();
    }
    var contents =
        lines.stream()
            .map(line -> json.write(line.message().content(), NewMessages.CONTENT))
            .toList();
    var places =
        jdbi.withHandle(handle ->
            handle
                .createQuery(APPEND)
                .bind("session", session.value())
                .bind("count", lines.size())
                .bind("runTurns", turn.runTurns())
                .bind("generation", turn.generation())
                .bindArray("ids", UUID.class, each(lines, line -> line.id().value()))
                .bindArray("roles", String.class, each(lines, line -> line.message().role().word()))
                .bindArray("kinds", String.class, each(lines, line -> line.message().kind().word()))
                .bindArray("contents", String.class, contents)
                .bindArray("tasks", UUID.class, each(lines, Line::task))
                .bindArray("deliveries", UUID.class, each(lines, Line::delivery))
                .map((row, _) ->
                    new Place(row.getLong("seq"), row.getTimestamp("created_at").toInstant()))
                .list());
    return IntStream.range(0, lines.size())
        .mapToObj(at -> said(session, lines.get(at), places.get(at)))
        .toList();
  }

  private StoredMessage said(SessionId session, Line line, Place at) {
    events.said(
        new SessionEvents.Place(line.id(), session, at.seq(), null, null, null, at.createdAt()),
        line.message(),
        line.origin());
    return new StoredMessage(line.id(), at.seq(), line.message(), Usage.NONE, null, at.createdAt());
  }

  private static <T extends @Nullable Object> List<T> each(
      List<Line> lines, Function<Line, T> part) {
    return lines.stream().map(part).toList();
  }
}
