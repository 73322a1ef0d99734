package dev.errand.session;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.conversation.Message.Covered;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.Usage;
import dev.errand.postgres.Json;
import dev.errand.postgres.Pipeline;
import dev.errand.postgres.Statement;
import dev.errand.session.SessionUsage.SessionTotals;
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
        update session set next_seq = next_seq + 1, updated_at = now()
        where id = :session
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
  StoredMessage append(
      SessionId session, MessageId id, Message message, SessionEvents.Origin origin) {
    var line = new Line(session, id, message, origin, null);
    return append(Statement.of(APPEND), line).orElseThrow().message();
  }

  /** A message, and the session's row after the change. */
  public record Said(StoredMessage message, SessionTotals session) {}

  /**
   * A new line of the transcript.
   *
   * @param covers the messages that it is sent in place of; null unless it is a summary
   */
  record Line(
      SessionId session,
      MessageId id,
      Message message,
      SessionEvents.Origin origin,
      @Nullable Covered covers) {

    private Usage usage() {
      return Objects.requireNonNullElse(origin.usage(), Usage.NONE);
    }
  }

  /** A line that a pipeline appends. */
  record Appending(Line line, Pipeline.Rows<Appended> rows) {}

  /**
   * Appends a message in the statement that changes the session's row.
   *
   * @param change a statement that returns the columns of {@link #APPEND}
   * @return empty when the statement changes no row; nothing was appended
   */
  @Transactional(Transactional.TxType.MANDATORY)
  Optional<Said> append(Statement change, Line line) {
    var pipeline = new Pipeline();
    var appending = append(pipeline, change, line);
    pipeline.execute(jdbi);
    return said(appending);
  }

  /** Adds that statement to a pipeline; {@link #said} follows its execution. */
  Appending append(Pipeline pipeline, Statement change, Line line) {
    return new Appending(
        line,
        pipeline.query(
            bind(change, line), (row, _) -> new Appended(place(line, row), totals.totals(row))));
  }

  /** Records the event of a line that was appended; empty when the statement changed no row. */
  @Transactional(Transactional.TxType.MANDATORY)
  Optional<Said> said(Appending appending) {
    return appending.rows().find().map(found -> said(appending.line(), found));
  }

  private Said said(Line line, Appended found) {
    var place = found.place();
    events.said(place, line.message(), line.origin());
    return new Said(
        new StoredMessage(
            line.id(), place.seq(), line.message(), line.usage(), line.covers(), place.createdAt()),
        found.session());
  }

  private Statement bind(Statement change, Line line) {
    var origin = line.origin();
    var call = origin.call();
    var covers = line.covers();
    var usage = line.usage();
    return change
        .bind("session", line.session())
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

  /** Where a line is, and the session's row after the change. */
  record Appended(SessionEvents.Place place, SessionTotals session) {}

  private static SessionEvents.Place place(Line line, ResultSet row) throws SQLException {
    return new SessionEvents.Place(
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
