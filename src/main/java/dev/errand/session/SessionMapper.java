package dev.errand.session;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.UsageTotals;
import dev.errand.event.Trees;
import dev.errand.permission.Permissions;
import dev.errand.postgres.Json;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/** Reads a row of the session table. */
@ApplicationScoped
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
        parent == null ? null : new SessionId(parent),
        new SessionId(row.getObject("root_id", UUID.class)),
        row.getInt("depth"),
        row.getString("agent"),
        SessionKind.of(row.getString("kind")),
        row.getString("model"),
        Path.of(row.getString("workspace")),
        row.getInt("max_turns"),
        permissions(row),
        row.getString("title"),
        jsonOrNull(row, "origin"),
        jsonOrNull(row, "metadata"),
        SessionState.of(row.getString("state")),
        row.getInt("takeovers"),
        row.getInt("generation"),
        row.getString("trace_parent"),
        row.getTimestamp("created_at").toInstant(),
        row.getTimestamp("updated_at").toInstant(),
        new UsageTotals(
            row.getLong("input_tokens"),
            row.getLong("cached_input_tokens"),
            row.getLong("output_tokens"),
            row.getLong("turns"),
            row.getLong("tool_calls")),
        row.getString("nonce"));
  }

  private Permissions permissions(ResultSet row) throws SQLException {
    var from = row.getString("grants_from");
    return Permissions.stored(
        json.read(row.getString("grants"), new TypeReference<>() {}),
        from == null ? null : json.read(from, new TypeReference<>() {}),
        0);
  }

  private @Nullable JsonNode jsonOrNull(ResultSet row, String column) throws SQLException {
    var text = row.getString(column);
    return text == null ? null : json.read(text, JsonNode.class);
  }
}
