package dev.errand.session;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.errand.conversation.Content;
import dev.errand.conversation.Covered;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.Usage;
import dev.errand.postgres.Json;
import dev.errand.postgres.Pipeline;
import dev.errand.postgres.Statement;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Appends messages to transcripts, each in the statement that changes its session's row. */
@Singleton
public class NewMessages {

  static final TypeReference<List<Content>> CONTENT = new TypeReference<>() {};

  private static final String APPEND =
      """
      with place as (
        update session
        set next_seq = next_seq + 1, updated_at = now(),
            turns = turns + :turn::int, run_turns = run_turns + :turn::int, tool_calls = tool_calls + :calls,
            input_tokens = input_tokens + :inputTokens, cached_input_tokens = cached_input_tokens + :cachedInputTokens,
            output_tokens = output_tokens + :outputTokens, cost = coalesce(cost + :cost, cost, :cost),
            takeovers = case when :turn then 0 else takeovers end,
            model_tries = case when :turn then 0 else model_tries end,
            model_away_since = case when not :turn then model_away_since end,
            error_code = case when not :turn then error_code end,
            error_message = case when not :turn then error_message end,
            error_at = case when not :turn then error_at end,
            state = case when :last then 'idle' else state end, node_id = case when not :last then node_id end
        where id = :session and (:epoch::bigint is null or epoch = :epoch and state = 'running')
        returning id, next_seq, epoch, root_id, parent_id is null as is_root,
                  case when parent_id is null then origin end as origin, created_at,
                  turns, tool_calls, input_tokens, cached_input_tokens, output_tokens, cost),
      said as (
        insert into message (session_id, seq, id, role, kind, content, epoch, input_tokens, cached_input_tokens, output_tokens, cost,
                             usage_estimated, covers_from, covers_to, task_id, delivery_id, model, started_at, model_ms, model_attempts)
        select id, next_seq - 1, :message, :role, :kind, :content::json, epoch, :inputTokens, :cachedInputTokens, :outputTokens, :cost,
               :estimated, :coversFrom, :coversTo, :task, :delivery, :model, now() - :ms * interval '1 millisecond', :ms, :attempts
        from place
        returning seq, started_at as call_began_at, model_ms, created_at as said_at)
      select * from place, said
      """;

  private final Jdbi jdbi;
  private final Json json;
  private final SessionMapper totals;
  private final SessionEvents events;

  NewMessages(Jdbi jdbi, Json json, SessionMapper totals, SessionEvents events) {
    this.jdbi = jdbi;
    this.json = json;
    this.totals = totals;
    this.events = events;
  }

  /** Appends a message; its place is assigned under the lock of the session's row. */
  @Transactional(Transactional.TxType.MANDATORY)
  StoredMessage append(SessionId session, MessageId id, Message message, MessageOrigin origin) {
    var line = new MessageToAppend(session, id, message, origin, null, Count.NOTHING);
    return append(line).orElseThrow().message();
  }

  /** A message, and the session's row after the change. */
  public record AppendedMessage(StoredMessage message, SessionTotals session) {}

  /**
   * A new line of the transcript.
   *
   * @param covers the messages that it is sent in place of; null unless it is a summary
   * @param count what its session counts with it, in addition to its tokens
   */
  record MessageToAppend(
      SessionId session,
      MessageId id,
      Message message,
      MessageOrigin origin,
      @Nullable Covered covers,
      Count count) {

    private int calls() {
      return count.turn() ? message.toolCalls().size() : 0;
    }

    private Usage usage() {
      return Objects.requireNonNullElse(origin.usage(), Usage.NONE);
    }
  }

  /**
   * The counts of a session's row that a message changes.
   *
   * @param epoch of the run that the session must still belong to; null when no run appends it
   * @param turn whether it is an answer of a model, after which earlier failures count no more
   * @param last whether the session is idle after it
   */
  record Count(@Nullable Long epoch, boolean turn, boolean last) {

    static final Count NOTHING = new Count(null, false, false);
  }

  /** A line that a pipeline appends. */
  record AppendingMessage(MessageToAppend line, Pipeline.Rows<AppendedAt> rows) {}

  /**
   * Appends a message.
   *
   * @return empty when the run no longer owns the session; nothing was appended
   */
  @Transactional(Transactional.TxType.MANDATORY)
  Optional<AppendedMessage> append(MessageToAppend line) {
    var pipeline = new Pipeline();
    var appending = append(pipeline, line);
    pipeline.execute(jdbi);
    return said(appending);
  }

  /** Adds that statement to a pipeline; {@link #said} follows its execution. */
  AppendingMessage append(Pipeline pipeline, MessageToAppend line) {
    return new AppendingMessage(
        line,
        pipeline.query(
            statement(line), (row, _) -> new AppendedAt(place(line, row), totals.totals(row))));
  }

  /** Records the event of a line that was appended; empty when nothing was appended. */
  @Transactional(Transactional.TxType.MANDATORY)
  Optional<AppendedMessage> said(AppendingMessage appending) {
    return appending.rows().find().map(found -> said(appending.line(), found));
  }

  private AppendedMessage said(MessageToAppend line, AppendedAt found) {
    var place = found.place();
    events.said(place, line.message(), line.origin());
    return new AppendedMessage(
        new StoredMessage(
            line.id(), place.seq(), line.message(), line.usage(), line.covers(), place.createdAt()),
        found.session());
  }

  private Statement statement(MessageToAppend line) {
    var origin = line.origin();
    var call = origin.call();
    var covers = line.covers();
    var usage = line.usage();
    var count = line.count();
    return Statement.of(APPEND)
        .bind("session", line.session())
        .bind("epoch", count.epoch())
        .bind("turn", count.turn())
        .bind("last", count.last())
        .bind("calls", line.calls())
        .bind("message", line.id())
        .bind("role", line.message().role())
        .bind("kind", line.message().kind())
        .bind("content", json.write(line.message().content(), CONTENT))
        .bind("inputTokens", usage.inputTokens())
        .bind("cachedInputTokens", usage.cachedInputTokens())
        .bind("outputTokens", usage.outputTokens())
        .bind("cost", usage.cost() == null ? null : usage.cost().micros())
        .bind("estimated", usage.isEstimate())
        .bind("coversFrom", covers == null ? null : covers.fromSeq())
        .bind("coversTo", covers == null ? null : covers.toSeq())
        .bind("task", origin.task())
        .bind("delivery", origin.delivery())
        .bind("model", origin.model())
        .bind("ms", call == null ? null : call.ms())
        .bind("attempts", call == null ? null : call.attempt());
  }

  /** The place of a line, and the session's row after the change. */
  record AppendedAt(SessionEvents.MessagePlace place, SessionTotals session) {}

  private static SessionEvents.MessagePlace place(MessageToAppend line, ResultSet row)
      throws SQLException {
    return new SessionEvents.MessagePlace(
        line.id(),
        line.session(),
        row.getLong("seq"),
        line.covers(),
        Optional.ofNullable(row.getTimestamp("call_began_at"))
            .map(Timestamp::toInstant)
            .orElse(null),
        row.getObject("model_ms", Long.class),
        row.getTimestamp("said_at").toInstant());
  }
}
