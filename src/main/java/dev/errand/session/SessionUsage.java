package dev.errand.session;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.UsageTotals;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** What a session's turns and summaries since some instant used, summed up from its transcript. */
@ApplicationScoped
public class SessionUsage {

  private static final String SINCE =
      """
      select count(*) filter (where role = 'assistant') as turns, coalesce(sum(input_tokens), 0) as input,
             coalesce(sum(cached_input_tokens), 0) as cached, coalesce(sum(output_tokens), 0) as output,
             coalesce(sum(jsonb_array_length(jsonb_path_query_array(content, '$[*] ? (@.type == "tool_call")'))), 0)
               as calls
      from message
      where session_id = :session and (role = 'assistant' or kind = 'summary') and created_at >= :since
      """;

  private static final String SO_FAR =
      """
      select count(*) filter (where role = 'assistant') as turns, coalesce(sum(input_tokens), 0) as input,
             coalesce(sum(cached_input_tokens), 0) as cached, coalesce(sum(output_tokens), 0) as output,
             (select count(*) from tool_call where session_id = :session and started_at >= :since) as calls,
             (select name from tool_call where session_id = :session and started_at >= :since
              order by message_seq desc, idx desc limit 1) as last_tool
      from message
      where session_id = :session and (role = 'assistant' or kind = 'summary') and created_at >= :since
      having count(*) > 0
      """;

  private final Jdbi jdbi;

  SessionUsage(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * How far a session got.
   *
   * @param usage its tool calls are those that were started
   * @param lastTool the tool of the call that was started last
   */
  public record SoFar(UsageTotals usage, @Nullable String lastTool) {}

  /** All turns since then; tool calls are those that the turns asked for. */
  public UsageTotals since(SessionId session, Instant since) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(SINCE)
            .bind("session", session.value())
            .bind("since", Timestamp.from(since))
            .map((row, _) -> usage(row))
            .one());
  }

  /** Empty before the first turn since then. */
  public Optional<SoFar> soFar(SessionId session, Instant since) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(SO_FAR)
            .bind("session", session.value())
            .bind("since", Timestamp.from(since))
            .map((row, _) -> new SoFar(usage(row), row.getString("last_tool")))
            .findOne());
  }

  private static UsageTotals usage(ResultSet row) throws SQLException {
    return new UsageTotals(
        row.getLong("input"),
        row.getLong("cached"),
        row.getLong("output"),
        row.getLong("turns"),
        row.getLong("calls"));
  }
}
