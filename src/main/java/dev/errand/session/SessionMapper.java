package dev.errand.session;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.errand.conversation.Cost;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.UsageTotals;
import dev.errand.conversation.Word;
import dev.errand.event.Trees;
import dev.errand.permission.Permissions;
import dev.errand.postgres.Json;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;

/** Reads a row of the session table. */
@Singleton
class SessionMapper implements RowMapper<Session> {

  private final Json json;
  private final Trees trees;

  SessionMapper(Json json, Trees trees) {
    this.json = json;
    this.trees = trees;
  }

  @Override
  public Session map(ResultSet row, StatementContext context) throws SQLException {
    var session = session(row);
    trees.keep(session.id(), session.root());
    return session;
  }

  private Session session(ResultSet row) throws SQLException {
    var parent = row.getObject("parent_id", UUID.class);
    return new Session(
        new SessionId(row.getObject("id", UUID.class)),
        row.getString("tenant"),
        parent == null ? null : new SessionId(parent),
        new SessionId(row.getObject("root_id", UUID.class)),
        row.getInt("depth"),
        row.getString("agent"),
        Word.of(SessionKind.class, row.getString("kind")),
        row.getString("model"),
        Path.of(row.getString("workspace")),
        row.getInt("max_turns"),
        permissions(row),
        json.readTree(row.getString("origin")),
        Word.of(SessionState.class, row.getString("state")),
        row.getInt("takeovers"),
        row.getInt("generation"),
        row.getString("trace_parent"),
        row.getString("nonce"));
  }

  /** Reads what a statement that changes a session's row returns. */
  SessionTotals totals(ResultSet row) throws SQLException {
    return new SessionTotals(
        new SessionId(row.getObject("id", UUID.class)),
        new SessionId(row.getObject("root_id", UUID.class)),
        row.getBoolean("is_root"),
        json.readTree(row.getString("origin")),
        row.getTimestamp("created_at").toInstant(),
        usage(row));
  }

  private static UsageTotals usage(ResultSet row) throws SQLException {
    return new UsageTotals(
        row.getLong("input_tokens"),
        row.getLong("cached_input_tokens"),
        row.getLong("output_tokens"),
        row.getLong("turns"),
        row.getLong("tool_calls"),
        Cost.ofMicros(row.getObject("cost", Long.class)));
  }

  private Permissions permissions(ResultSet row) throws SQLException {
    return Permissions.stored(
        json.read(row.getString("grants"), new TypeReference<>() {}),
        json.read(row.getString("grants_from"), new TypeReference<>() {}));
  }
}
