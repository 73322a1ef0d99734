package dev.errand.session;

import dev.errand.conversation.Content;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.ToolEffect;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/** Reads what {@link ToolLedger} has written. */
@ApplicationScoped
class PlannedCalls {

  private final Jdbi jdbi;

  PlannedCalls(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** The calls of one assistant message that have no result yet, in order. */
  List<OpenCall> open(SessionId session, StoredMessage asking) {
    var calls = asking.message().toolCalls();
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select idx, state, effect from tool_call
                where session_id = :session and message_seq = :seq and state in ('planned', 'started', 'deferred')
                order by idx
                """)
            .bind("session", session.value())
            .bind("seq", asking.seq())
            .map((row, _) ->
                new OpenCall(
                    new CallKey(asking.seq(), row.getInt("idx")),
                    calls.get(row.getInt("idx")),
                    ToolCallState.of(row.getString("state")),
                    ToolEffect.of(row.getString("effect")) != ToolEffect.SIDE_EFFECT))
            .list());
  }

  /** The results of one assistant message's calls, in the order of the calls. */
  List<Content.ToolResult> results(SessionId session, long seq) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select call_id, result, is_error from tool_call
                where session_id = :session and message_seq = :seq order by idx
                """)
            .bind("session", session.value())
            .bind("seq", seq)
            .map((row, _) ->
                new Content.ToolResult(
                    row.getString("call_id"), row.getString("result"), row.getBoolean("is_error")))
            .list());
  }
}
