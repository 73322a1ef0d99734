package dev.errand.session;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.ToolEffect;
import dev.errand.conversation.Word;
import dev.errand.postgres.Json;
import dev.errand.session.ClientCalls.CallAnswer.Assigned;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/** Finds tool calls of clients that no node executes, although one should. */
@Singleton
public class StrandedCalls {

  /** A call that began a moment ago may not be known to its own process yet. */
  private static final String FIND =
      """
      select session_id, idx, epoch, node_id from tool_call
      where node_id is not null and started_at < clock_timestamp() - interval '6 seconds'
        and (node_id = :me or not exists (select from node where node.id = node_id))
      """;

  /** Calls that some node executes, or should. */
  public static final String SOME =
      "exists (select 1 from tool_call where node_id is not null and started_at < now() - interval '6 seconds')";

  private static final String RAISE_EPOCH =
      """
      update session set epoch = epoch + 1, updated_at = now()
      where id = :session and kind = 'external' and state = 'idle'
      returning epoch
      """;

  /** A call that has cost too many nodes is not repeated, whatever its effect is. */
  private static final String TAKE_OVER =
      """
      update tool_call
      set epoch = :epoch, node_id = :me, takeovers = takeovers + 1,
          state = case when takeovers + 1 < :most then state else 'started' end,
          effect = case when takeovers + 1 < :most then effect else 'side_effect' end
      where session_id = :session and message_seq = 0 and idx = :idx and epoch = :before and node_id is not null
      returning idx, call_id, name, arguments, state, effect
      """;

  private final Jdbi jdbi;
  private final Json json;

  StrandedCalls(Jdbi jdbi, Json json) {
    this.jdbi = jdbi;
    this.json = json;
  }

  /**
   * A call.
   *
   * @param lease of the last attempt
   * @param node that made it
   */
  public record StrandedCall(Lease lease, int index, UUID node) {}

  /**
   * Returns the calls that {@code me} has, of which it knows whether it executes them, and those of
   * nodes that are gone.
   */
  public List<StrandedCall> find(UUID me) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(FIND)
            .bind("me", me)
            .map((row, _) ->
                new StrandedCall(
                    new Lease(
                        new SessionId(row.getObject("session_id", UUID.class)),
                        row.getLong("epoch")),
                    row.getInt("idx"),
                    row.getObject("node_id", UUID.class)))
            .list());
  }

  /**
   * Assigns a call to {@code me}. What its last node still writes is refused from now on.
   *
   * @param most the number of lost nodes after which the outcome of the call is unknown
   * @return empty when another node was faster, or the call has ended
   */
  @Transactional
  public Optional<Assigned> takeOver(StrandedCall call, UUID me, int most) {
    var session = call.lease().session();
    return jdbi.withHandle(handle -> {
      var epoch =
          handle.createQuery(RAISE_EPOCH).bind("session", session).mapTo(Long.class).findOne();
      return epoch.flatMap(raised ->
          handle
              .createQuery(TAKE_OVER)
              .bind("session", session)
              .bind("idx", call.index())
              .bind("before", call.lease().epoch())
              .bind("epoch", raised)
              .bind("me", me)
              .bind("most", most)
              .map((row, _) -> new Assigned(new Lease(session, raised), open(row)))
              .findOne());
    });
  }

  private OpenCall open(ResultSet row) throws SQLException {
    return new OpenCall(
        new CallKey(0, row.getInt("idx")),
        new Content.ToolCall(
            row.getString("call_id"),
            row.getString("name"),
            json.read(row.getString("arguments"), JsonNode.class)),
        Word.of(ToolCallState.class, row.getString("state")),
        Word.of(ToolEffect.class, row.getString("effect")).isRepeatable());
  }
}
