package dev.errand.session;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.postgres.Json;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * What sessions said to their users in the middle of their work. Each is an event of its session; a
 * call that is made again finds its message and sends no other (architecture, rule 9).
 */
@ApplicationScoped
public class OutgoingMessages {

  private static final String KEEP =
      """
      with sent as (
        insert into outgoing_message (session_id, call_key, id) values (:session, :call, :id)
        on conflict (session_id, call_key) do nothing
        returning session_id, created_at)
      select sent.created_at, root.origin
      from sent join session on session.id = sent.session_id join session root on root.id = session.root_id
      """;

  private final Jdbi jdbi;
  private final Fence fence;
  private final SessionEvents events;
  private final Json json;

  OutgoingMessages(Jdbi jdbi, Fence fence, SessionEvents events, Json json) {
    this.jdbi = jdbi;
    this.fence = fence;
    this.events = events;
    this.json = json;
  }

  /**
   * @param origin where the user is; null when nobody said
   */
  record Sent(MessageId id, Content.Text text, Instant createdAt, @Nullable JsonNode origin) {}

  /**
   * Sends a message, once for each call, however often it is made.
   *
   * @throws LeaseLost the run no longer owns the session; nothing was sent
   */
  @Transactional
  public void send(Lease lease, String callKey, String text) {
    fence.share(lease);
    keep(lease.session(), callKey, new Content.Text(text))
        .ifPresent(sent -> events.sent(sent, lease.session()));
  }

  private Optional<Sent> keep(SessionId session, String callKey, Content.Text text) {
    var id = MessageId.next();
    return jdbi.withHandle(handle ->
        handle
            .createQuery(KEEP)
            .bind("session", session.value())
            .bind("call", callKey)
            .bind("id", id.value())
            .map((row, _) ->
                new Sent(id, text, row.getTimestamp("created_at").toInstant(), origin(row)))
            .findOne());
  }

  private @Nullable JsonNode origin(ResultSet row) throws SQLException {
    var origin = row.getString("origin");
    return origin == null ? null : json.read(origin, JsonNode.class);
  }
}
