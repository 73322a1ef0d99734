package dev.errand.event;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.EventId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.event.CloudEvent.StoredEvent;
import dev.errand.postgres.Json;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Reads the event tables. {@link Events} writes them. */
@Singleton
public class EventStore {

  /**
   * A {@code session.message} refers to its message, whose content is added here, unless it is long
   * or was deleted. One session and a tree are found by different indexes; the database skips the
   * half that is not asked for.
   */
  private static final String PAGE =
      """
      select head.newest, event.*, coalesce(with_content, event.data) as shown
      from (select root_id, coalesce(last_number, 0) as newest
            from session left join event_log using (root_id) where session.id = :session) head
      left join lateral (
        (select * from event
         where not :tree and session_id = :session and number > :after order by number limit :limit)
        union all
        (select * from event
         where :tree and root_id = head.root_id and number > :after
           and session_id in (
             with recursive tree as (
               select id from session where id = :session
               union all
               select child.id from session child join tree on child.parent_id = tree.id)
             select id from tree)
         order by number limit :limit))
      event on true
      left join lateral (
        select event.data || coalesce(
          (select case when octet_length(content::text) <= 8192 then jsonb_build_object('content', content)
                  else '{"truncated": true}' end
           from (
             select content from message where message.id = substr(event.data ->> 'id', 5)::uuid
             union all
             select json_build_array(json_build_object('type', 'text', 'text', text)) from outgoing_message
             where outgoing_message.id = substr(event.data ->> 'id', 5)::uuid and text is not null) said),
          '{"redacted": true}') as with_content
      ) said on event.type = 'session.message' and not jsonb_exists(event.data, 'redacted')
      order by number
      """;

  private static final String NEWEST =
      """
      select session.id, coalesce(last_number, 0) as newest
      from session left join event_log using (root_id) where session.id = any(:sessions)
      """;

  private static final String IS_WITHIN =
      """
      with recursive above as (
        select id, parent_id from session where id = :session
        union all
        select parent.id, parent.parent_id from session parent join above on parent.id = above.parent_id)
      select exists (select 1 from above where id = :top)
      """;

  private static final String OPEN_MODEL_CALL =
      """
      select data, greatest(0, extract(epoch from clock_timestamp() - created_at) * 1000)::bigint as ms
      from (select * from event
            where session_id = :session and type in ('model.started', 'model.ended')
            order by number desc limit 1) last
      where type = 'model.started'
      """;

  private final Jdbi jdbi;
  private final Json json;

  EventStore(Jdbi jdbi, Json json) {
    this.jdbi = jdbi;
    this.json = json;
  }

  /**
   * The session whose events are read.
   *
   * @param tree whether to include all sessions below it
   */
  public record EventScope(SessionId session, boolean tree) {}

  /**
   * A page of events, oldest first.
   *
   * @param newest the highest number in the whole tree at the time of reading
   */
  public record EventPage(long newest, List<StoredEvent> events) {}

  private record PageLine(long newest, @Nullable StoredEvent event) {}

  /**
   * A model call that was reported as started and not as ended.
   *
   * @param data of the event
   * @param ms since then
   */
  public record OpenModelCall(JsonNode data, long ms) {}

  /** Returns the model call of a session that was not reported as ended; usually empty. */
  public Optional<OpenModelCall> openModelCall(SessionId session) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(OPEN_MODEL_CALL)
            .bind("session", session)
            .map((row, _) ->
                new OpenModelCall(
                    json.read(row.getString("data"), JsonNode.class), row.getLong("ms")))
            .findOne());
  }

  /**
   * Returns the events after a number, at most {@code limit}; empty when the session does not
   * exist.
   */
  public Optional<EventPage> page(EventScope scope, long after, int limit) {
    var lines =
        jdbi.withHandle(handle ->
            handle
                .createQuery(PAGE)
                .bind("session", scope.session())
                .bind("tree", scope.tree())
                .bind("after", after)
                .bind("limit", limit)
                .map((row, _) -> line(row))
                .list());
    return lines.stream()
        .findFirst()
        .map(first ->
            new EventPage(
                first.newest(),
                lines.stream()
                    .flatMap(line -> Optional.ofNullable(line.event()).stream())
                    .toList()));
  }

  /** Returns the highest number in the tree of each session. Deleted sessions are left out. */
  public Map<SessionId, Long> newest(Set<SessionId> sessions) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(NEWEST)
            .bindArray("sessions", SessionId.class, sessions)
            .map((row, _) ->
                Map.entry(new SessionId(row.getObject("id", UUID.class)), row.getLong("newest")))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }

  /** Returns whether a session is that of a scope, or below it in its tree. */
  public boolean isWithin(SessionId session, SessionId top) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(IS_WITHIN)
            .bind("session", session)
            .bind("top", top)
            .mapTo(Boolean.class)
            .one());
  }

  private PageLine line(ResultSet row) throws SQLException {
    var newest = row.getLong("newest");
    var id = row.getObject("id", UUID.class);
    return id == null
        ? new PageLine(newest, null)
        : new PageLine(newest, event(new EventId(id), row));
  }

  private StoredEvent event(EventId id, ResultSet row) throws SQLException {
    var subject = row.getObject("subject", UUID.class);
    var what =
        new EventContent(
            row.getString("type"),
            subject == null ? null : new TaskId(subject).toString(),
            row.getTimestamp("created_at").toInstant(),
            json.readPlain(row.getString("shown"), JsonNode.class));
    var session = new SessionId(row.getObject("session_id", UUID.class));
    return new StoredEvent(row.getLong("number"), CloudEvent.of(id.toString(), session, what));
  }
}
