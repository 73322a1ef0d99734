package dev.errand.story;

import dev.errand.conversation.EventId;
import dev.errand.kit.Service;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * A tree with many sessions. One task is real; its rows are copied, with other ids, agents and
 * states.
 */
final class LargeTree {

  private static final String SESSION =
      """
      insert into session
      select (jsonb_populate_record(session, jsonb_build_object(
        'id', :id, 'parent_id', :parent, 'depth', :depth, 'agent', :agent,
        'state', case when :live then 'waiting' else 'idle' end,
        'waits_for', case when :live then 'retry' end,
        'waits_since', case when :live then now() end,
        'waits_until', case when :live then timestamptz '2100-01-01' end))).*
      from session where id = :model
      """;

  private static final String TASK =
      """
      insert into task
      select (jsonb_populate_record(task, jsonb_build_object(
        'id', :task, 'parent_session_id', :parent, 'session_id', :id,
        'subagent_type', :agent, 'description', :description, 'state', :state,
        'deadline_at', timestamptz '2100-01-01',
        'ended_at', case when not :live then task.ended_at end,
        'stop_reason', case when not :live then case :state when 'failed' then 'error' else 'end_turn' end end,
        'error_code', case :state when 'failed' then 'model_bad_response' end,
        'error_message', case :state when 'failed' then 'The answer cannot be read.' end))).*
      from task where session_id = :model
      """;

  private static final String EVENT =
      """
      with log as (
        update event_log set last_number = last_number + 1 where root_id = :root returning last_number),
      hint as (select pg_notify('errand_hint', gen_random_uuid() || ' EVENTS'))
      insert into event (root_id, number, session_id, id, type, data, created_at)
      select :root, last_number, :session, :id, :type, :data::jsonb, clock_timestamp() from log, hint
      """;

  private static final long FIRST_COPY = 0xf000_0000L;

  private final Jdbi database;
  private final UUID root;
  private final UUID model;
  private final List<Row> rows = new ArrayList<>();

  /** A session with its task. */
  record Row(UUID id, UUID parent, int depth, String agent, String state) {

    String sessionId() {
      return LargeTree.sessionId(id);
    }
  }

  private LargeTree(Jdbi database, UUID root, UUID model) {
    this.database = database;
    this.root = root;
    this.model = model;
  }

  /** Opens a root without children but the one that is copied. */
  static LargeTree below(Service service, String title) throws IOException {
    var task =
        service.post(
            "/v1/tasks",
            Map.of("description", title, "prompt", "Find it.", "subagent_type", "plan"),
            200);
    return new LargeTree(
        service.database(),
        uuid(task.at("/metadata/session_id").asText()),
        uuid(task.at("/metadata/sub_session_id").asText()));
  }

  String rootId() {
    return sessionId(root);
  }

  /** Adds children of the root. */
  List<Row> add(int amount, String agent, String state) {
    return addBelow(new Row(root, root, 0, "primary", "idle"), amount, agent, state);
  }

  /** Adds children of a session. */
  List<Row> addBelow(Row parent, int amount, String agent, String state) {
    var first = rows.size();
    for (int number = first; number < first + amount; number++) {
      rows.add(new Row(copy(model, number), parent.id(), parent.depth() + 1, agent, state));
    }
    return List.copyOf(rows.subList(first, first + amount));
  }

  /** Writes what was added. */
  void write() {
    database.useTransaction(handle -> {
      for (var statement : List.of(SESSION, TASK)) {
        var batch = handle.prepareBatch(statement);
        for (int number = 0; number < rows.size(); number++) {
          var row = rows.get(number);
          batch
              .bind("id", row.id())
              .bind("task", row.id())
              .bind("parent", row.parent())
              .bind("depth", row.depth())
              .bind("agent", row.agent())
              .bind("state", row.state())
              .bind("live", row.state().equals("running"))
              .bind("description", "part " + (number + 1))
              .bind("model", model)
              .add();
        }
        batch.execute();
      }
    });
  }

  /** Writes an event of a session, as the service does. */
  void tell(Row session, String type, String data) {
    database.useHandle(handle ->
        handle
            .createUpdate(EVENT)
            .bind("root", root)
            .bind("session", session.id())
            .bind("id", EventId.next().value())
            .bind("type", type)
            .bind("data", data)
            .execute());
  }

  /** Ids of copies sort after that of the root, in the order of their numbers. */
  private static UUID copy(UUID of, int number) {
    return UUID.fromString(Long.toHexString(FIRST_COPY + number) + of.toString().substring(8));
  }

  private static UUID uuid(String id) {
    return UUID.fromString(id.replaceFirst(".*_(.{8})(.{4})(.{4})(.{4})(.{12})", "$1-$2-$3-$4-$5"));
  }

  private static String sessionId(UUID id) {
    return "ses_" + id.toString().replace("-", "");
  }
}
