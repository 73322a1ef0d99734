package dev.errand.session;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.MessageKind;
import dev.errand.conversation.MessageRole;
import dev.errand.conversation.SessionId;
import dev.errand.postgres.Json;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * The messages of sessions to their users: during their work, by a call, and as the answer of a
 * turn.
 */
@Singleton
public class SpokenMessages {

  private static final String KEEP =
      """
      with sent as (
        insert into outgoing_message (session_id, call_key, id, text) values (:session, :call, :id, :text)
        on conflict (session_id, call_key) do nothing
        returning id, session_id, created_at)
      select sent.id, null::bigint as seq, sent.created_at, root.origin
      from sent join session on session.id = sent.session_id join session root on root.id = session.root_id
      """;

  private final Jdbi jdbi;
  private final Fence fence;
  private final SessionEvents events;
  private final Json json;

  SpokenMessages(Jdbi jdbi, Fence fence, SessionEvents events, Json json) {
    this.jdbi = jdbi;
    this.fence = fence;
    this.events = events;
    this.json = json;
  }

  /**
   * Stores the message of a call, once for each call, however often the call is made.
   *
   * @return the message; empty when the call stored it before
   * @throws LeaseLost the run no longer owns the session; nothing was stored
   */
  @Transactional(Transactional.TxType.MANDATORY)
  public Optional<SpokenMessage> store(Lease lease, String callKey, String text) {
    fence.share(lease);
    var stored = insert(lease.session(), callKey, new Content.Text(text));
    stored.ifPresent(events::sent);
    return stored;
  }

  private Optional<SpokenMessage> insert(SessionId session, String callKey, Content.Text text) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(KEEP)
            .bind("session", session)
            .bind("call", callKey)
            .bind("id", MessageId.next())
            .bind("text", text.text())
            .map((row, _) -> message(row, session, List.of(text)))
            .findOne());
  }

  /**
   * Returns the answer of a turn as its user gets it; empty in a child, which answers its task, and
   * when the answer has no words.
   */
  public static Optional<SpokenMessage> answer(NewMessages.AppendedMessage said) {
    var session = said.session();
    var answer = said.message();
    return session.isRoot() && answer.message().hasWords()
        ? Optional.of(
            new SpokenMessage(
                answer.id(),
                session.id(),
                answer.seq(),
                MessageRole.ASSISTANT,
                answer.message().content(),
                MessageKind.MESSAGE,
                answer.createdAt(),
                session.origin()))
        : Optional.empty();
  }

  private SpokenMessage message(ResultSet row, SessionId session, List<Content> content)
      throws SQLException {
    return new SpokenMessage(
        new MessageId(row.getObject("id", UUID.class)),
        session,
        row.getObject("seq", Long.class),
        MessageRole.ASSISTANT,
        content,
        MessageKind.MESSAGE,
        row.getTimestamp("created_at").toInstant(),
        json.readTree(row.getString("origin")));
  }

  /**
   * A message of a session to its user, as clients get it. One component per field of the wire
   * format.
   *
   * @param seq its place in the transcript; left out for a message that was sent in the middle of a
   *     turn, which is the place of the call that sent it
   * @param origin where the conversation takes place, as the session's creator gave it; left out
   *     when not given
   */
  @JsonInclude(Include.NON_NULL)
  public record SpokenMessage(
      MessageId id,
      SessionId sessionId,
      @Nullable Long seq,
      MessageRole role,
      List<Content> content,
      MessageKind kind,
      Instant createdAt,
      @Nullable JsonNode origin) {

    public SpokenMessage {
      content = List.copyOf(content);
    }
  }
}
