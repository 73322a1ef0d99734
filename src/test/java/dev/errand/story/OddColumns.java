package dev.errand.story;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;

/** The columns that may contain text, and why some of them never get a text of others. */
final class OddColumns {

  /** Texts, JSON, and arrays of texts. */
  private static final String OF_TEXT =
      """
      select c.table_name || '.' || c.column_name
      from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
        and c.udt_name in ('text', 'varchar', 'bpchar', 'jsonb', 'json', '_text', '_varchar')
        and c.table_name not like 'jobrunr!_%' escape '!' and c.table_name <> 'flyway_schema_history'
      order by 1
      """;

  private static final Map<String, List<String>> REASONS =
      Map.of(
          "a word of the service",
          List.of(
              "api_key.role",
              "session_token.role",
              "audit.action",
              "event.type",
              "file_change.call_key",
              "idempotency_key.scope",
              "inbox.kind",
              "message.kind",
              "message.role",
              "outbox.kind",
              "outbox.state",
              "outbox.target",
              "outgoing_message.call_key",
              "pause.scope",
              "session.error_code",
              "session.grants_from",
              "session.kind",
              "session.state",
              "session.waits_for",
              "task.callback_events",
              "task.cleanup",
              "task.error_code",
              "task.isolation",
              "task.kind",
              "task.parent_tool_call_id",
              "task.state",
              "task.stop_reason",
              "task.thoroughness",
              "todo.status",
              "tool_call.effect",
              "tool_call.state",
              "worktree.folder"),
          "made by the service: ids, digests, encrypted texts, sentences",
          List.of(
              "api_key.id",
              "callback.key_id",
              "callback.secret",
              "file_change.after_sha256",
              "file_change.before_sha256",
              "idempotency_key.body_sha256",
              "inbox.trace_parent",
              "outbox.last_error",
              "seen_file.sha256",
              "session.nonce",
              "session.trace_parent",
              "session_token.id",
              "session_token.key_id",
              "task.progress",
              "task.trace_parent",
              "tool_call.request_sha256"),
          "of the configuration, or a name that must be known",
          List.of("node.name", "pause.name", "session.agent", "task.subagent_type"),
          "the name of a tenant, which has only letters, digits and hyphens",
          List.of(
              "api_key.tenant",
              "audit.tenant",
              "idempotency_key.tenant",
              "outbox.tenant",
              "pause.tenant",
              "session.tenant",
              "session_token.tenant",
              "task.tenant",
              "tenant.id",
              "tenant_day.tenant",
              "tenant_hour.tenant"),
          "ASCII only, or refused",
          List.of("callback.url", "idempotency_key.key", "outbox.receiver", "outbox.stream"),
          "about the caller, whom this test does not authenticate",
          List.of(
              "api_key.created_by",
              "audit.subject",
              "audit.target",
              "pause.created_by",
              "session.owner",
              "session_token.created_by"));

  /** The columns that have a reason. */
  static final List<String> WITHOUT = REASONS.values().stream().flatMap(List::stream).toList();

  private OddColumns() {}

  /** The tables of JobRunr and Flyway are left out: they contain ids and names of classes. */
  static Collection<String> ofText(Jdbi jdbi) {
    return jdbi.withHandle(handle -> handle.createQuery(OF_TEXT).mapTo(String.class).list());
  }

  static boolean hasReason(String column) {
    return WITHOUT.contains(column);
  }
}
