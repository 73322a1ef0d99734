package dev.errand.session;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.MessageKind;
import dev.errand.conversation.Role;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.Usage;
import dev.errand.postgres.Json;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** The messages of a session, in order. */
@ApplicationScoped
public class Transcript {

  private static final TypeReference<List<Content>> CONTENT = new TypeReference<>() {};

  private static final String APPEND =
      """
      with place as (
        update session set next_seq = next_seq + 1, updated_at = now() where id = :session
        returning next_seq - 1 as seq, epoch)
      insert into message (session_id, seq, id, role, kind, content, epoch, input_tokens, output_tokens)
      select :session, seq, :id, :role, :kind, :content::jsonb, coalesce(:epoch, epoch), :inputTokens, :outputTokens
      from place
      returning seq, created_at
      """;

  private final Jdbi jdbi;
  private final Json json;
  private final SessionEvents events;

  Transcript(Jdbi jdbi, Json json, SessionEvents events) {
    this.jdbi = jdbi;
    this.json = json;
    this.events = events;
  }

  /** All messages, oldest first. */
  public List<Message> read(SessionId session) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select * from message where session_id = :session order by seq")
            .bind("session", session.value())
            .map((row, _) -> read(row).message())
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
            .map((row, _) -> read(row))
            .findOne());
  }

  /** Appends a message; its place is assigned under the lock of the session's row. */
  @Transactional(Transactional.TxType.MANDATORY)
  long append(SessionId session, MessageId id, Message message) {
    return append(new Line(session, id, null), message, Usage.NONE);
  }

  /** Appends the answer of a run's model, with the run's epoch. */
  @Transactional(Transactional.TxType.MANDATORY)
  long append(Lease lease, MessageId id, Message message, Usage usage) {
    return append(new Line(lease.session(), id, lease.epoch()), message, usage);
  }

  /** The place of a message; empty when it is not stored. */
  Optional<Long> placeOf(MessageId id) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select seq from message where id = :id")
            .bind("id", id.value())
            .mapTo(Long.class)
            .findOne());
  }

  /**
   * @param epoch of the run; null when the message does not come from a run
   */
  private record Line(SessionId session, MessageId id, @Nullable Long epoch) {}

  private long append(Line line, Message message, Usage usage) {
    var content = json.write(message.content(), CONTENT);
    var place =
        jdbi.withHandle(handle ->
            handle
                .createQuery(APPEND)
                .bind("session", line.session().value())
                .bind("id", line.id().value())
                .bind("role", word(message.role()))
                .bind("kind", message.kind().name().toLowerCase(Locale.ROOT))
                .bind("content", content)
                .bind("epoch", line.epoch())
                .bind("inputTokens", usage.inputTokens())
                .bind("outputTokens", usage.outputTokens())
                .map((row, _) ->
                    new SessionEvents.Place(
                        line.id(),
                        line.session(),
                        row.getLong("seq"),
                        row.getTimestamp("created_at").toInstant()))
                .one());
    events.said(place, message, content);
    return place.seq();
  }

  private StoredMessage read(ResultSet row) throws SQLException {
    var message =
        new Message(
            Role.valueOf(row.getString("role").toUpperCase(Locale.ROOT)),
            MessageKind.valueOf(row.getString("kind").toUpperCase(Locale.ROOT)),
            json.read(row.getString("content"), CONTENT));
    return new StoredMessage(
        new MessageId(row.getObject("id", UUID.class)),
        row.getLong("seq"),
        message,
        row.getTimestamp("created_at").toInstant());
  }

  private static String word(Role role) {
    return role.name().toLowerCase(Locale.ROOT);
  }
}
