package dev.errand.session;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.ToolEffect;
import dev.errand.postgres.Json;
import dev.errand.postgres.Pipeline;
import dev.errand.postgres.Statement;
import dev.errand.session.Inbox.InboxOrder;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.io.UncheckedIOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Reads what a turn boundary needs. */
@Singleton
class BoundaryStore {

  private static final Logger LOG = Logger.getLogger(BoundaryStore.class);

  private static final String LOOK =
      """
      select run_turns, session.generation, parent_id is null as root, next_seq, now() as now,
             tree.max_depth, tree.max_delegations, tree.max_delegations_total, tree.max_background_tasks, tree.max_tokens,
             tree.max_cost, tree.delegations, tree.turn_delegations, tree.tokens, tree.cached_tokens, tree.cost,
             (select json_agg(json_build_object('id', id, 'outbox', source_outbox_id, 'generation', inbox.generation,
                                                'trace', inbox.trace_parent, 'entry', body) order by position)
              from inbox where session_id = session.id and consumed_at is null) as waiting,
             (select json_agg(json_build_object('index', idx, 'id', call_id, 'state', tool_call.state, 'effect', effect,
                                                'result', result, 'is_error', is_error) order by idx)
              from tool_call where session_id = session.id and message_seq = (
                select seq from message
                where message.session_id = session.id and role <> 'system' order by seq desc limit 1)) as calls,
             case when (select :limited) then (
               select array[coalesce(sum(tokens), 0), coalesce(sum(cost), 0),
                            extract(epoch from (now() at time zone 'utc')::date + 1 - (now() at time zone 'utc'))]::bigint[]
               from tenant_day where tenant_day.tenant = session.tenant and day = (now() at time zone 'utc')::date) end as used_today
      from session join tree using (root_id)
      where session.id = :id
      """;

  private static final TypeReference<List<UnreadRow>> ROWS = new TypeReference<>() {};
  private static final TypeReference<List<LastCall>> CALLS = new TypeReference<>() {};

  private final Jdbi jdbi;
  private final Json json;
  private final TreeStore trees;
  private final Transcript transcript;
  private final Fence fence;

  BoundaryStore(Jdbi jdbi, Json json, TreeStore trees, Transcript transcript, Fence fence) {
    this.jdbi = jdbi;
    this.json = json;
    this.trees = trees;
    this.transcript = transcript;
    this.fence = fence;
  }

  /**
   * The rows that a turn boundary finds.
   *
   * @param nextSeq the place of the next message
   * @param now the time of the transaction
   * @param waiting the unread entries, in the order in which they are read
   * @param broken unread entries that are unreadable
   * @param calls those of the last message, in their order
   * @param usedToday by the tenant; null when it was not asked for
   */
  record BoundaryState(
      Fence.LockedSession locked,
      long nextSeq,
      Instant now,
      TreeStore.Tree tree,
      List<UnreadEntry> waiting,
      List<UUID> broken,
      List<LastCall> calls,
      DayQuotas.@Nullable UsedToday usedToday) {}

  /** An unread entry as it is stored. */
  record UnreadRow(
      UUID id, @Nullable UUID outbox, int generation, @Nullable String trace, JsonNode entry) {}

  /**
   * A call of the last message.
   *
   * @param id that the model gave it
   */
  record LastCall(
      int index,
      String id,
      ToolCallState state,
      ToolEffect effect,
      @Nullable String result,
      boolean isError) {

    boolean isOpen() {
      return state.isOpen();
    }

    OpenCall askedBy(StoredMessage message) {
      return new OpenCall(
          new CallKey(message.seq(), index),
          message.message().toolCalls().get(index),
          state,
          effect.isRepeatable());
    }

    Content.ToolResult asResult() {
      return new Content.ToolResult(id, Objects.requireNonNull(result), isError);
    }
  }

  /**
   * Locks a run's session, and then reads, in one round trip: each statement sees what was
   * committed before it began, so the read one sees every entry that arrived before the lock.
   *
   * @param limited whether the tenant has a quota of a day
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  SessionClaims.BoundaryRead lock(Lease lease, boolean limited) {
    var pipeline = new Pipeline();
    var locked = fence.lock(pipeline, lease);
    var found = look(pipeline, lease.session(), limited);
    var current = transcript.current(pipeline, lease.session());
    pipeline.execute(jdbi);
    if (locked.find().isEmpty()) {
      throw new LeaseLost(lease);
    }
    return new SessionClaims.BoundaryRead(
        Transcript.CurrentTranscript.of(current.list()), found.one());
  }

  /** Reads what a turn boundary needs. This transaction has locked the session. */
  @Transactional(TxType.MANDATORY)
  BoundaryState look(SessionId session, boolean limited) {
    var pipeline = new Pipeline();
    var found = look(pipeline, session, limited);
    pipeline.execute(jdbi);
    return found.one();
  }

  /** Reads the rows in a pipeline. */
  Pipeline.Rows<BoundaryState> look(Pipeline pipeline, SessionId session, boolean limited) {
    return pipeline.query(
        Statement.of(LOOK).bind("id", session).bind("limited", limited), (row, _) -> found(row));
  }

  private BoundaryState found(ResultSet row) throws SQLException {
    var waiting = new ArrayList<UnreadEntry>();
    var broken = new ArrayList<UUID>();
    list(row.getString("waiting"), ROWS).forEach(entry -> read(entry, waiting, broken));
    return new BoundaryState(
        new Fence.LockedSession(
            row.getInt("run_turns"), row.getInt("generation"), row.getBoolean("root")),
        row.getLong("next_seq"),
        row.getTimestamp("now").toInstant(),
        trees.read(row),
        InboxOrder.of(waiting),
        broken,
        list(row.getString("calls"), CALLS),
        DayQuotas.UsedToday.read(row, "used_today"));
  }

  private <T> List<T> list(@Nullable String array, TypeReference<List<T>> type) {
    return array == null ? List.of() : json.read(array, type);
  }

  /** An entry of a kind that this version does not know is left out: a newer one will read it. */
  private void read(UnreadRow row, List<UnreadEntry> waiting, List<UUID> broken) {
    try {
      json.readKnown(row.entry(), InboxEntry.class)
          .map(known ->
              new UnreadEntry(row.id(), row.outbox(), row.generation(), row.trace(), known))
          .ifPresent(waiting::add);
    } catch (UncheckedIOException fault) {
      LOG.errorf(fault, "The entry %s of an inbox is unreadable", row.id());
      broken.add(row.id());
    }
  }
}
