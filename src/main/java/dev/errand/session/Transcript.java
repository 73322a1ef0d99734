package dev.errand.session;

import dev.errand.conversation.Message;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.MessageRole;
import dev.errand.conversation.SessionId;
import dev.errand.postgres.Json;
import dev.errand.postgres.Pipeline;
import dev.errand.postgres.Statement;
import dev.errand.session.StoredMessage.MessageMapper;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jdbi.v3.core.Jdbi;

/** The messages of a session, in order. */
@Singleton
public class Transcript {

  private static final String CURRENT =
      """
      select message.*, stubs_to, stubs_at
      from session join message on message.session_id = session.id
        left join lateral (
          select covers_from as first, covers_to as last from message
          where session_id = session.id and kind = 'summary' order by seq desc limit 1) covered on true
      where session.id = :session
        and (last is null or seq < first or seq > last
             or seq = (select seq from message
                       where session_id = :session and role = 'user' and kind = 'message' order by seq desc limit 1))
      order by seq
      """;

  private final Jdbi jdbi;
  private final NewMessages messages;
  private final MessageMapper mapper;

  Transcript(Jdbi jdbi, Json json, NewMessages messages) {
    this.jdbi = jdbi;
    this.mapper = new MessageMapper(json);
    this.messages = messages;
  }

  /**
   * The part of a transcript that a run needs.
   *
   * @param messages oldest first; without those that the newest summary covers, except the last
   *     request of the user or the parent
   */
  public record CurrentTranscript(List<StoredMessage> messages, Stubs stubs) {

    static CurrentTranscript of(List<LineWithStubs> lines) {
      return lines.isEmpty()
          ? EMPTY
          : new CurrentTranscript(
              lines.stream().map(LineWithStubs::message).toList(), lines.getFirst().stubs());
    }

    /** That of a session without messages. */
    public static final CurrentTranscript EMPTY = new CurrentTranscript(List.of(), Stubs.NONE);

    /** Returns the last message, not counting system messages. */
    public Optional<StoredMessage> last() {
      return last(messages);
    }

    /** Returns these messages and later messages. */
    CurrentTranscript with(List<StoredMessage> later) {
      return new CurrentTranscript(
          Stream.concat(messages.stream(), later.stream()).toList(), stubs);
    }

    /** Returns the last of these messages, not counting system messages. */
    public static Optional<StoredMessage> last(List<StoredMessage> messages) {
      return messages.reversed().stream()
          .filter(stored -> stored.message().role() != MessageRole.SYSTEM)
          .findFirst();
    }
  }

  /** A message with what the session's row says. */
  record LineWithStubs(StoredMessage message, Stubs stubs) {}

  /** Reads the part of a transcript that a run needs. */
  public CurrentTranscript current(SessionId session) {
    var pipeline = new Pipeline();
    var lines = current(pipeline, session);
    pipeline.execute(jdbi);
    return CurrentTranscript.of(lines.list());
  }

  /** Adds to a pipeline what reads {@link CurrentTranscript}. */
  Pipeline.Rows<LineWithStubs> current(Pipeline pipeline, SessionId session) {
    return pipeline.query(
        Statement.of(CURRENT).bind("session", session),
        (row, _) ->
            new LineWithStubs(
                mapper.read(row), new Stubs(row.getLong("stubs_to"), row.getLong("stubs_at"))));
  }

  /** Returns all messages, oldest first. */
  public List<Message> read(SessionId session) {
    return messages("select * from message where session_id = :session order by seq", session);
  }

  /** Returns the texts of all messages that the user of a root session sent. */
  public List<String> userTexts(SessionId session) {
    return messages(
            """
            select * from message where session_id = :session and role = 'user' and kind = 'message' order by seq
            """,
            session)
        .stream()
        .map(Message::text)
        .toList();
  }

  private List<Message> messages(String sql, SessionId session) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(sql)
            .bind("session", session)
            .map((row, _) -> mapper.read(row).message())
            .list());
  }

  /** Returns the messages of the assistant since then, oldest first. */
  public List<StoredMessage> saidSince(SessionId session, Instant since) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select * from message
                where session_id = :session and role = 'assistant' and created_at >= :since order by seq
                """)
            .bind("session", session)
            .bind("since", since)
            .map((row, _) -> mapper.read(row))
            .list());
  }

  /** Returns the last message of the assistant; empty when there is none. */
  public Optional<StoredMessage> lastOfAssistant(SessionId session) {
    return one(
        """
        select * from message where session_id = :id and role = 'assistant' order by seq desc limit 1
        """,
        session.value());
  }

  /** Returns the last message, not counting system messages; empty in a new session. */
  Optional<StoredMessage> last(SessionId session) {
    return one(
        """
        select * from message where session_id = :id and role <> 'system' order by seq desc limit 1
        """,
        session.value());
  }

  private Optional<StoredMessage> one(String sql, UUID id) {
    return jdbi.withHandle(handle ->
        handle.createQuery(sql).bind("id", id).map((row, _) -> mapper.read(row)).findOne());
  }

  /** Appends a message; its place is assigned under the lock of the session's row. */
  @Transactional(Transactional.TxType.MANDATORY)
  StoredMessage append(SessionId session, MessageId id, Message message) {
    return messages.append(session, id, message, MessageOrigin.NONE);
  }

  /** Returns a message by its id; empty when it is not stored. */
  Optional<StoredMessage> find(MessageId id) {
    return one("select * from message where id = :id", id.value());
  }

  /**
   * The range of messages whose tool results are left out of requests to a model.
   *
   * @param toSeq results in messages up to this place are left out
   * @param atSeq the place of the next message when {@code toSeq} was moved there: the usage of
   *     earlier answers is that of a longer conversation
   */
  public record Stubs(long toSeq, long atSeq) {

    public static final Stubs NONE = new Stubs(0, 0);
  }
}
