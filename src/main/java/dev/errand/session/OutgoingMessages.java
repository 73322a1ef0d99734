package dev.errand.session;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.MessageKind;
import dev.errand.conversation.Role;
import dev.errand.conversation.SessionId;
import dev.errand.postgres.Json;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * What sessions say to their users: in the middle of their work, by a call, and as the last word of
 * a turn. A call that is made again finds its message and sends no other (architecture, rule 9).
 */
@ApplicationScoped
public class OutgoingMessages {

  private static final String KEEP =
      """
      with sent as (
        insert into outgoing_message (session_id, call_key, id) values (:session, :call, :id)
        on conflict (session_id, call_key) do nothing
        returning id, session_id, created_at)
      select sent.id, null::bigint as seq, sent.created_at, root.origin
      from sent join session on session.id = sent.session_id join session root on root.id = session.root_id
      """;

  /** A child answers its task, no user. */
  private static final String OF_ROOT =
      """
      select message.id, message.seq, message.created_at, session.origin
      from message join session on session.id = message.session_id
      where message.session_id = :session and message.seq = :seq and session.parent_id is null
      """;

  private final Jdbi jdbi;
  private final Fence fence;
  private final SessionEvents events;
  private final SpeechObserver listener;
  private final Json json;

  OutgoingMessages(
      Jdbi jdbi, Fence fence, SessionEvents events, SpeechObserver listener, Json json) {
    this.jdbi = jdbi;
    this.fence = fence;
    this.events = events;
    this.listener = listener;
    this.json = json;
  }

  /**
   * Sends a message, once for each call, however often it is made.
   *
   * @throws LeaseLost the run no longer owns the session; nothing was sent
   */
  @Transactional
  public void send(Lease lease, String callKey, String text) {
    fence.share(lease);
    keep(lease.session(), callKey, new Content.Text(text))
        .ifPresent(message -> {
          events.sent(message);
          listener.said(message);
        });
  }

  /**
   * Passes on a root's answer, which asks for no tool. It was appended in this transaction, which
   * told of it in the session's stream.
   */
  @Transactional(Transactional.TxType.MANDATORY)
  void answered(SessionId session, long seq, Message answer) {
    jdbi.withHandle(handle ->
            handle
                .createQuery(OF_ROOT)
                .bind("session", session.value())
                .bind("seq", seq)
                .map((row, _) -> message(row, session, answer.content()))
                .findOne())
        .ifPresent(listener::said);
  }

  private Optional<SpokenMessage> keep(SessionId session, String callKey, Content.Text text) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(KEEP)
            .bind("session", session.value())
            .bind("call", callKey)
            .bind("id", MessageId.next().value())
            .map((row, _) -> message(row, session, List.of(text)))
            .findOne());
  }

  private SpokenMessage message(ResultSet row, SessionId session, List<Content> content)
      throws SQLException {
    return new SpokenMessage(
        new MessageId(row.getObject("id", UUID.class)),
        session,
        row.getObject("seq", Long.class),
        Role.ASSISTANT,
        content,
        MessageKind.MESSAGE,
        row.getTimestamp("created_at").toInstant(),
        origin(row));
  }

  private @Nullable JsonNode origin(ResultSet row) throws SQLException {
    var origin = row.getString("origin");
    return origin == null ? null : json.read(origin, JsonNode.class);
  }
}
