package dev.errand.session;

import dev.errand.conversation.SessionId;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Query;

/**
 * The state of each tool call: planned with the message that asks for it, started before it runs,
 * done with its result (architecture, rule 9). Every write of a run is fenced by its lease.
 */
@Singleton
public class ToolLedger {

  private static final String START =
      """
      update tool_call set state = 'started', epoch = :epoch, started_at = coalesce(started_at, now())
      where session_id = :session and message_seq = :seq and idx = :idx and state in ('planned', 'started')
      returning message_seq, idx, call_id, name, title
      """;

  private static final String RUNNING =
      """
      select message_seq, idx, call_id, name, title from tool_call
      where session_id = :session and message_seq = :seq and idx = :idx and state = 'started'
      for share
      """;

  /** Only a call that is denied ends without a start. */
  private static final String FINISH =
      """
      update tool_call
      set state = :state, result = :result, is_error = :isError, epoch = :epoch, node_id = null, ended_at = now()
      where session_id = :session and message_seq = :seq and idx = :idx
        and (state = 'started' or (state = 'planned' and :state = 'denied'))
      returning message_seq, idx, call_id, name, title
      """;

  private static final String RECORDED =
      """
      select exists (
        select from tool_call
        where session_id = :session and message_seq = :seq and idx = :idx
          and epoch = :epoch and state = :state and result = :result)
      """;

  private static final String DEFER =
      """
      update tool_call set state = 'deferred', epoch = :epoch, node_id = null
      where session_id = :session and message_seq = :seq and idx = :idx and state = 'started'
      returning message_seq, idx, call_id, name, title
      """;

  private static final String OPEN =
      """
      select exists (
        select from tool_call
        where session_id = :session and message_seq = :seq and idx = :idx and state not in ('done', 'unknown', 'denied'))
      """;

  private static final String ANSWER =
      """
      update tool_call set state = 'done', result = :result, is_error = :isError, node_id = null, ended_at = now()
      where session_id = :session and message_seq = :seq and idx = :idx and state not in ('done', 'unknown', 'denied')
      returning message_seq, idx, call_id, name, title
      """;

  private final Jdbi jdbi;
  private final Fence fence;
  private final ToolEvents events;
  private final Hints hints;

  ToolLedger(Jdbi jdbi, Fence fence, ToolEvents events, Hints hints) {
    this.jdbi = jdbi;
    this.fence = fence;
    this.events = events;
    this.hints = hints;
  }

  /** The call that a run writes about. */
  public record LeasedCall(Lease lease, CallKey key) {}

  /**
   * Records that these calls start now.
   *
   * @throws LeaseLost the run no longer owns the session, and must not start them
   */
  @Transactional
  public void start(Lease lease, List<CallKey> calls) {
    for (var key : calls) {
      var call =
          fenced(
              START, new LeasedCall(lease, key), ToolCallState.STARTED, new CallResult("", false));
      events.started(lease.session(), call);
    }
  }

  /**
   * Records an event with the output of a running call; nothing for a call that has ended.
   *
   * @param output its end
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional
  public void recordOutput(LeasedCall entry, String output) {
    fence.share(entry.lease());
    running(entry)
        .ifPresent(call ->
            events.progressed(entry.lease().session(), call, new CallResult(output, false).text()));
  }

  /**
   * Reads the running call and locks it, because otherwise the event could follow the event of the
   * call's end.
   */
  private Optional<ToolEvents.EventCall> running(LeasedCall entry) {
    return jdbi.withHandle(handle ->
        about(handle, RUNNING, entry.lease().session(), entry.key())
            .map((row, _) -> call(row))
            .findOne());
  }

  /**
   * Records that a call is done, was denied, or has an unknown outcome. A repetition with the same
   * result changes nothing.
   *
   * @throws LeaseLost the run no longer owns the session; the result is not stored
   */
  @Transactional
  public void finish(LeasedCall entry, ToolCallState state, CallResult result) {
    var call = written(FINISH, entry, state, result);
    if (call.isEmpty() && !isRecorded(entry, state, result)) {
      throw new LeaseLost(entry.lease());
    }
    call.ifPresent(ended -> ended(entry.lease().session(), ended, result, state));
  }

  private void ended(
      SessionId session, ToolEvents.EventCall call, CallResult result, ToolCallState state) {
    events.ended(session, call, result.isError(), state);
    if (call.key().isOfClient()) {
      hints.afterCommit(Topic.ENDS);
    }
  }

  /**
   * Returns whether an earlier attempt of this run, whose commit was not answered, has recorded it.
   */
  private boolean isRecorded(LeasedCall entry, ToolCallState state, CallResult result) {
    return jdbi.withHandle(handle ->
        about(handle, RECORDED, entry.lease().session(), entry.key())
            .bind("epoch", entry.lease().epoch())
            .bind("state", state)
            .bind("result", result.text())
            .mapTo(Boolean.class)
            .one());
  }

  /** Records that the answer will arrive through the inbox. */
  @Transactional
  public void defer(LeasedCall entry) {
    var ignored = fenced(DEFER, entry, ToolCallState.DEFERRED, new CallResult("", false));
  }

  /** Returns whether a call waits for its answer. */
  boolean isOpen(SessionId session, CallKey key) {
    return jdbi.withHandle(handle -> about(handle, OPEN, session, key).mapTo(Boolean.class).one());
  }

  /**
   * Answers a call from outside of a run, under the lock of the session's row. A call that is
   * answered already keeps its answer.
   */
  @Transactional(Transactional.TxType.MANDATORY)
  void answer(SessionId session, CallKey key, CallResult result) {
    jdbi.withHandle(handle ->
            about(handle, ANSWER, session, key)
                .bind("result", result.text())
                .bind("isError", result.isError())
                .map((row, _) -> call(row))
                .findOne())
        .ifPresent(call -> ended(session, call, result, ToolCallState.DONE));
  }

  private ToolEvents.EventCall fenced(
      String sql, LeasedCall entry, ToolCallState state, CallResult result) {
    return written(sql, entry, state, result).orElseThrow(() -> new LeaseLost(entry.lease()));
  }

  private Optional<ToolEvents.EventCall> written(
      String sql, LeasedCall entry, ToolCallState state, CallResult result) {
    fence.share(entry.lease());
    return jdbi.withHandle(handle ->
        about(handle, sql, entry.lease().session(), entry.key())
            .bind("epoch", entry.lease().epoch())
            .bind("state", state)
            .bind("result", result.text())
            .bind("isError", result.isError())
            .map((row, _) -> call(row))
            .findOne());
  }

  /** Returns a statement about one call. */
  private static Query about(Handle handle, String sql, SessionId session, CallKey key) {
    return handle
        .createQuery(sql)
        .bind("session", session)
        .bind("seq", key.messageSeq())
        .bind("idx", key.index());
  }

  private static ToolEvents.EventCall call(ResultSet row) throws SQLException {
    return new ToolEvents.EventCall(
        new CallKey(row.getLong("message_seq"), row.getInt("idx")),
        row.getString("call_id"),
        row.getString("name"),
        row.getString("title"));
  }
}
