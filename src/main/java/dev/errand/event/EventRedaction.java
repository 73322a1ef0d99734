package dev.errand.event;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Update;

/** Blanks events of sessions whose words are deleted. The rows, their ids and times stay. */
@Singleton
public class EventRedaction {

  /** What a blanked event keeps: ids, places, numbers and words for programs. */
  private static final List<String> KEPT =
      List.of(
          "id",
          "message_id",
          "session_id",
          "task_id",
          "parent_session_id",
          "parent_call",
          "delivery_id",
          "tool_call_id",
          "seq",
          "message_seq",
          "index",
          "role",
          "kind",
          "covers",
          "name",
          "model",
          "subagent_type",
          "background",
          "state",
          "reason",
          "stop_reason",
          "partial",
          "result_length",
          "execution_time_ms",
          "is_error",
          "attempt",
          "attempts",
          "target",
          "usage",
          "ms",
          "lag_ms",
          "last_tool",
          "not_before",
          "started_at",
          "created_at");

  /** Events without words of an agent. */
  private static final List<String> WORDLESS =
      Stream.of(
              EventType.SESSION_STATE,
              EventType.SESSION_TAKEN_OVER,
              EventType.SESSION_NOTICES_HELD,
              EventType.SESSION_SUMMARISED,
              EventType.MODEL_STARTED,
              EventType.MODEL_ENDED,
              EventType.DELIVERY_DELIVERED)
          .map(EventType::word)
          .toList();

  private static final String REDACT =
      """
      update event
      set data = coalesce((select jsonb_object_agg(key, value) from jsonb_each(data) where key = any(:kept)), '{}')
                 || case when jsonb_exists(data -> 'error', 'code')
                      then jsonb_build_object('error', jsonb_build_object('code', data -> 'error' -> 'code', 'message', '')) else '{}' end
                 || '{"redacted": true}'
      where session_id = :session and type <> all(:wordless) and not jsonb_exists(data, 'redacted')
      """;

  private static final String REDACT_TASK =
      """
      update event
      set data = coalesce((select jsonb_object_agg(key, value) from jsonb_each(data) where key = any(:kept)), '{}')
                 || case when jsonb_exists(data -> 'error', 'code')
                      then jsonb_build_object('error', jsonb_build_object('code', data -> 'error' -> 'code', 'message', '')) else '{}' end
                 || '{"redacted": true}'
      where session_id = :session and type <> all(:wordless) and not jsonb_exists(data, 'redacted')
        and created_at >= :since and (subject = :task or (:notice and data ->> 'task_id' = :publicTask))
      """;

  private final Jdbi jdbi;

  EventRedaction(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Blanks what was said in a session, in all of its events. Idempotent. */
  @Transactional
  public void redact(SessionId session) {
    jdbi.useHandle(handle -> redacting(handle, REDACT, session).execute());
  }

  /**
   * Blanks what was said about a task, in the events of its parent. Idempotent.
   *
   * @param notice whether the notice of its end is blanked, too
   * @param since when the task was accepted
   */
  @Transactional(Transactional.TxType.MANDATORY)
  public void redact(SessionId parent, TaskId task, boolean notice, Instant since) {
    jdbi.useHandle(handle ->
        redacting(handle, REDACT_TASK, parent)
            .bind("since", Timestamp.from(since))
            .bind("task", task.value())
            .bind("publicTask", task.toString())
            .bind("notice", notice)
            .execute());
  }

  private static Update redacting(Handle handle, String sql, SessionId session) {
    return handle
        .createUpdate(sql)
        .bindArray("kept", String.class, KEPT)
        .bindArray("wordless", String.class, WORDLESS)
        .bind("session", session);
  }
}
