package dev.errand.session;

import dev.errand.auth.Audit;
import dev.errand.conversation.Content;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.ToolEffect;
import dev.errand.conversation.Word;
import dev.errand.postgres.Json;
import dev.errand.session.PlannedCalls.CallTitle;
import jakarta.inject.Singleton;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * The tool calls that clients of external sessions make. What happens to a call after it was
 * accepted is in {@link ToolLedger}; {@link StrandedCalls} finds those whose node is lost. Each
 * attempt has a lease of its own, with the epoch to which it raised the session.
 */
@Singleton
public class ClientCalls {

  /** Also locks the row, so that concurrent calls of the session count each other. */
  private static final String BEGIN =
      """
      update session set epoch = epoch + 1, tool_calls = tool_calls + 1, updated_at = now()
      where id = :session and kind = 'external' and state = 'idle'
      returning epoch
      """;

  private static final String INSERT =
      """
      insert into tool_call (session_id, message_seq, idx, call_id, name, title, effect, epoch, arguments,
                             request_sha256, node_id, started_at)
      select :session, 0, coalesce(max(idx), -1) + 1, :callId, :name, :title, :effect, :epoch, :arguments::jsonb,
             :digest, :node, clock_timestamp()
      from tool_call where session_id = :session and message_seq = 0
      on conflict (session_id, call_id) where message_seq = 0 do nothing
      returning idx
      """;

  private static final String EXECUTED =
      "select count(*) from tool_call where session_id = :session and node_id is not null";

  private static final String FIND =
      """
      select call_id, name, state, result, is_error, request_sha256 from tool_call
      where session_id = :session and message_seq = 0 and call_id = :callId
      """;

  private static final String LIVE =
      """
      select session_id as session, call_id from tool_call
      where session_id = any(:sessions) and message_seq = 0 and call_id = any(:callIds)
        and state in ('planned', 'started', 'deferred')
      """;

  private static final String LIVE_IN_SESSION =
      """
      select idx from tool_call
      where session_id = :session and message_seq = 0 and state in ('planned', 'started', 'deferred')
      """;

  private final Jdbi jdbi;
  private final Json json;
  private final ToolLedger ledger;
  private final Audit audit;
  private final TransactionSynchronizationRegistry transactions;

  ClientCalls(
      Jdbi jdbi,
      Json json,
      ToolLedger ledger,
      Audit audit,
      TransactionSynchronizationRegistry transactions) {
    this.jdbi = jdbi;
    this.json = json;
    this.ledger = ledger;
    this.audit = audit;
    this.transactions = transactions;
  }

  /** The identity of a call for its client. */
  public record ClientCallId(SessionId session, String callId) {}

  /**
   * A request to make a call.
   *
   * @param digest of what the call does; a repeated request has the same
   */
  public record CallRequest(SessionId session, Content.ToolCall call, String digest) {

    public ClientCallId id() {
      return new ClientCallId(session, call.id());
    }
  }

  /** The result of a request. */
  public sealed interface CallAnswer {

    /** The call is recorded, and the node is to execute it. */
    record Assigned(Lease lease, OpenCall open) implements CallAnswer {}

    /** A call with this id exists already, or the session is closed. Nothing was changed. */
    record NotNew() implements CallAnswer {}

    /** The session has as many calls executed as it may. Nothing was changed. */
    record Full() implements CallAnswer {}
  }

  /**
   * A call as its client sees it.
   *
   * @param result null until it has ended
   */
  public record KnownCall(
      String callId,
      String name,
      ToolCallState state,
      String digest,
      @Nullable CallResult result) {}

  /**
   * Records a call that {@code node} is to execute.
   *
   * @param most the number of calls of the session that may be executed at the same time
   */
  @Transactional
  public CallAnswer accept(CallRequest request, ToolEffect effect, UUID node, int most) {
    var session = request.session();
    var lease = begin(session);
    var index = lease.flatMap(owner -> insert(request, effect, node, owner));
    if (index.isEmpty()) {
      transactions.setRollbackOnly();
      return new CallAnswer.NotNew();
    }
    if (executed(session) > most) {
      transactions.setRollbackOnly();
      return new CallAnswer.Full();
    }
    audit.recordIfKnown("tool.call", session, request.call().name());
    var key = new CallKey(0, index.get());
    return new CallAnswer.Assigned(
        lease.get(),
        new OpenCall(key, request.call(), ToolCallState.PLANNED, effect.isRepeatable()));
  }

  private Optional<Lease> begin(SessionId session) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(BEGIN)
            .bind("session", session)
            .mapTo(Long.class)
            .findOne()
            .map(epoch -> new Lease(session, epoch)));
  }

  private Optional<Integer> insert(CallRequest request, ToolEffect effect, UUID node, Lease lease) {
    var call = request.call();
    return jdbi.withHandle(handle ->
        handle
            .createQuery(INSERT)
            .bind("session", lease.session())
            .bind("callId", call.id())
            .bind("name", call.name())
            .bind("title", CallTitle.of(call))
            .bind("effect", effect)
            .bind("epoch", lease.epoch())
            .bind("arguments", json.write(call.arguments()))
            .bind("digest", request.digest())
            .bind("node", node)
            .mapTo(Integer.class)
            .findOne());
  }

  private int executed(SessionId session) {
    return jdbi.withHandle(
        handle -> handle.createQuery(EXECUTED).bind("session", session).mapTo(Integer.class).one());
  }

  public Optional<KnownCall> find(ClientCallId id) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(FIND)
            .bind("session", id.session())
            .bind("callId", id.callId())
            .map((row, _) -> known(row))
            .findOne());
  }

  private static KnownCall known(ResultSet row) throws SQLException {
    var result = row.getString("result");
    return new KnownCall(
        row.getString("call_id"),
        row.getString("name"),
        Word.of(ToolCallState.class, row.getString("state")),
        row.getString("request_sha256"),
        result == null ? null : new CallResult(result, row.getBoolean("is_error")));
  }

  /** Returns those of the calls that have ended, or do not exist any more. */
  public Set<ClientCallId> ended(Set<ClientCallId> ids) {
    var live =
        jdbi.withHandle(handle ->
            handle
                .createQuery(LIVE)
                .bindArray("sessions", SessionId.class, each(ids, ClientCallId::session))
                .bindArray("callIds", String.class, each(ids, ClientCallId::callId))
                .mapTo(ClientCallId.class)
                .collect(Collectors.toUnmodifiableSet()));
    return ids.stream().filter(id -> !live.contains(id)).collect(Collectors.toUnmodifiableSet());
  }

  private static <T> List<T> each(Set<ClientCallId> ids, Function<ClientCallId, T> part) {
    return ids.stream().map(part).toList();
  }

  /**
   * Answers all calls of a session that have not ended; called under the lock of the session's row.
   * A node that still executes one of them finds its lease lost.
   */
  @Transactional(TxType.MANDATORY)
  public void endAll(SessionId session, String answer) {
    jdbi.withHandle(handle ->
            handle
                .createQuery(LIVE_IN_SESSION)
                .bind("session", session)
                .mapTo(Integer.class)
                .list())
        .forEach(
            index -> ledger.answer(session, new CallKey(0, index), new CallResult(answer, true)));
  }
}
