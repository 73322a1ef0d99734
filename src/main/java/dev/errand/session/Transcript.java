package dev.errand.session;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.errand.conversation.Content;
import dev.errand.conversation.Covered;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.Role;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.Usage;
import dev.errand.postgres.Json;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** The messages of a session, in order. */
@ApplicationScoped
public class Transcript {

  static final TypeReference<List<Content>> CONTENT = new TypeReference<>() {};

  private static final String APPEND =
      """
      with place as (%s),
      said as (
        insert into message (session_id, seq, id, role, kind, content, epoch, input_tokens, cached_input_tokens, output_tokens,
                             covers_from, covers_to, task_id, delivery_id, model, started_at, model_ms, model_attempts)
        select id, next_seq - 1, :message, :role, :kind, :content::jsonb, epoch, :inputTokens, :cachedInputTokens, :outputTokens,
               :coversFrom, :coversTo, :task, :delivery, :model, now() - :ms * interval '1 millisecond', :ms, :attempts
        from place
        returning seq, started_at as call_began_at, model_ms, created_at as said_at)
      select * from place, said
      """;

  private static final Change NEXT_PLACE =
      new Change(
          """
          update session set next_seq = next_seq + 1, updated_at = now()
          where id = :session\
          """
              + SessionMapper.RETURNING_TOTALS,
          Map.of());

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
  private final Json json;
  private final SessionEvents events;
  private final MessageMapper mapper;
  private final SessionMapper totals;

  Transcript(Jdbi jdbi, Json json, SessionEvents events, SessionMapper totals) {
    this.jdbi = jdbi;
    this.json = json;
    this.events = events;
    this.mapper = new MessageMapper(json);
    this.totals = totals;
  }

  /**
   * The part of a transcript that a run needs.
   *
   * @param messages oldest first; without those that the newest summary covers, except the last
   *     request of the user or the parent
   */
  public record Current(List<StoredMessage> messages, Stubs stubs) {

    /** That of a session without messages. */
    public static final Current EMPTY = new Current(List.of(), Stubs.NONE);

    /** The last message, not counting system messages. */
    public Optional<StoredMessage> last() {
      return last(messages);
    }

    /** The last of these messages, not counting system messages. */
    public static Optional<StoredMessage> last(List<StoredMessage> messages) {
      return messages.reversed().stream()
          .filter(stored -> stored.message().role() != Role.SYSTEM)
          .findFirst();
    }
  }

  /** Reads the part of a transcript that a run needs. */
  public Current current(SessionId session) {
    var stubs = new AtomicReference<>(Stubs.NONE);
    var messages =
        jdbi.withHandle(handle ->
            handle
                .createQuery(CURRENT)
                .bind("session", session.value())
                .map((row, _) -> {
                  stubs.setPlain(new Stubs(row.getLong("stubs_to"), row.getLong("stubs_at")));
                  return mapper.read(row);
                })
                .list());
    return new Current(messages, stubs.getPlain());
  }

  /** All messages, oldest first. */
  public List<Message> read(SessionId session) {
    return messages(session, "true");
  }

  /** The texts of all messages that the user of a root session sent. */
  public List<String> userTexts(SessionId session) {
    return messages(session, "role = 'user' and kind = 'message'").stream()
        .map(Message::text)
        .toList();
  }

  private List<Message> messages(SessionId session, String condition) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                "select * from message where session_id = :session and "
                    + condition
                    + " order by seq")
            .bind("session", session.value())
            .map((row, _) -> mapper.read(row).message())
            .list());
  }

  /** The last message of the assistant; empty when there is none. */
  public Optional<StoredMessage> lastOfAssistant(SessionId session) {
    return lastWhere(session, "role = 'assistant'");
  }

  /** The last message, not counting system messages; empty in a new session. */
  Optional<StoredMessage> last(SessionId session) {
    return lastWhere(session, "role <> 'system'");
  }

  private Optional<StoredMessage> lastWhere(SessionId session, String condition) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                "select * from message where session_id = :session and "
                    + condition
                    + " order by seq desc limit 1")
            .bind("session", session.value())
            .map((row, _) -> mapper.read(row))
            .findOne());
  }

  /** Appends a message; its place is assigned under the lock of the session's row. */
  @Transactional(Transactional.TxType.MANDATORY)
  StoredMessage append(SessionId session, MessageId id, Message message) {
    return append(new Line(session, id, null), message, SessionEvents.Origin.NONE);
  }

  /**
   * Appends a message that an inbox entry brings.
   *
   * @param outbox the outbox row that the entry comes from; null for a user's message
   */
  @Transactional(Transactional.TxType.MANDATORY)
  StoredMessage append(SessionId session, MessageId id, InboxEntry entry, @Nullable UUID outbox) {
    var origin = SessionEvents.Origin.of(entry.task(), outbox);
    return append(new Line(session, id, null), entry.asMessage(), origin);
  }

  private StoredMessage append(Line line, Message message, SessionEvents.Origin origin) {
    return append(line, message, origin, NEXT_PLACE).orElseThrow().message();
  }

  /**
   * A change of a session's row that takes the next place in the transcript.
   *
   * @param sql an update that ends with {@link SessionMapper#RETURNING_TOTALS}
   * @param values of its parameters, except {@code session}
   */
  record Change(String sql, Map<String, ?> values) {}

  /** A message, and the session's row after the change. */
  public record Said(StoredMessage message, SessionTotals session) {}

  /**
   * A new line of the transcript.
   *
   * @param covers the messages that it is sent in place of; null unless it is a summary
   */
  record Line(SessionId session, MessageId id, @Nullable Covered covers) {}

  /**
   * Appends a message in the statement that changes the session's row.
   *
   * @return empty when the statement changes no row; nothing was appended
   */
  @Transactional(Transactional.TxType.MANDATORY)
  Optional<Said> append(Line line, Message message, SessionEvents.Origin origin, Change change) {
    var usage = Objects.requireNonNullElse(origin.usage(), Usage.NONE);
    var call = origin.call();
    var task = origin.task();
    var delivery = origin.delivery();
    var content = json.write(message.content(), CONTENT);
    var covers = line.covers();
    var said =
        jdbi.withHandle(handle ->
            handle
                .createQuery(APPEND.formatted(change.sql()))
                .bindMap(change.values())
                .bind("session", line.session().value())
                .bind("message", line.id().value())
                .bind("role", word(message.role()))
                .bind("kind", message.kind().name().toLowerCase(Locale.ROOT))
                .bind("content", content)
                .bind("inputTokens", usage.inputTokens())
                .bind("cachedInputTokens", usage.cachedInputTokens())
                .bind("outputTokens", usage.outputTokens())
                .bind("coversFrom", covers == null ? null : covers.fromSeq())
                .bind("coversTo", covers == null ? null : covers.toSeq())
                .bind("task", task == null ? null : task.value())
                .bind("delivery", delivery == null ? null : delivery.value())
                .bind("model", origin.model())
                .bind("ms", call == null ? null : call.ms())
                .bind("attempts", call == null ? null : call.attempt())
                .map((row, _) -> new Appended(place(line, row), totals.totals(row)))
                .findOne());
    return said.map(appended -> {
      var place = appended.place();
      events.said(place, message, origin, content);
      return new Said(
          new StoredMessage(line.id(), place.seq(), message, usage, covers, place.createdAt()),
          appended.session());
    });
  }

  private record Appended(SessionEvents.Place place, SessionTotals session) {}

  private static SessionEvents.Place place(Line line, ResultSet row) throws SQLException {
    return new SessionEvents.Place(
        line.id(),
        line.session(),
        row.getLong("seq"),
        line.covers(),
        Optional.ofNullable(row.getTimestamp("call_began_at"))
            .map(Timestamp::toInstant)
            .orElse(null),
        row.getObject("model_ms", Long.class),
        row.getTimestamp("said_at").toInstant());
  }

  /** A message by its id; empty when it is not stored. */
  Optional<StoredMessage> find(MessageId id) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select * from message where id = :id")
            .bind("id", id.value())
            .map((row, _) -> mapper.read(row))
            .findOne());
  }

  private static String word(Role role) {
    return role.name().toLowerCase(Locale.ROOT);
  }
}
