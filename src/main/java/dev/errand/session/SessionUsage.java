package dev.errand.session;

import dev.errand.conversation.Cost;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.UsageTotals;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jdbi.v3.core.Jdbi;

/** Sums up the usage of a session's turns and summaries since an instant from its transcript. */
@Singleton
public class SessionUsage {

  private static final String SINCE =
      """
      select count(*) filter (where role = 'assistant') as turns, coalesce(sum(input_tokens), 0) as input,
             coalesce(sum(cached_input_tokens), 0) as cached, coalesce(sum(output_tokens), 0) as output,
             coalesce(sum(jsonb_array_length(jsonb_path_query_array(content::jsonb, '$[*] ? (@.type == "tool_call")'))), 0)
               as calls, sum(cost)::bigint as cost
      from message
      where session_id = :session and (role = 'assistant' or kind = 'summary') and created_at >= :since
      """;

  private final Jdbi jdbi;

  SessionUsage(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Sums up all turns since then; tool calls are those that the turns asked for. */
  public UsageTotals since(SessionId session, Instant since) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(SINCE)
            .bind("session", session)
            .bind("since", since)
            .map((row, _) -> usage(row))
            .one());
  }

  private static UsageTotals usage(ResultSet row) throws SQLException {
    return new UsageTotals(
        row.getLong("input"),
        row.getLong("cached"),
        row.getLong("output"),
        row.getLong("turns"),
        row.getLong("calls"),
        Cost.ofMicros(row.getObject("cost", Long.class)));
  }
}
