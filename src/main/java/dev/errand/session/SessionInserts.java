package dev.errand.session;

import dev.errand.conversation.MessageId;
import dev.errand.event.Trees;
import dev.errand.postgres.Json;
import dev.errand.postgres.Pipeline;
import dev.errand.postgres.Statement;
import dev.errand.trace.TraceContext;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/** Creates sessions, each with what belongs to it from the beginning, in one statement. */
@Singleton
class SessionInserts {

  private static final String INSERT_ROOT =
      """
      with root as (
        insert into session (id, tenant, parent_id, root_id, depth, kind, agent, model, workspace, max_turns, grants, grants_from,
                             generation, title, origin, metadata, owner, state, job_id, queued_at, trace_parent, expires_at)
        values (:id, :tenant, :parent, :root, :depth, :kind, :agent, :model, :workspace, :maxTurns, :grants::jsonb, :grantsFrom::jsonb,
                :generation, :title, :origin::jsonb, :metadata::jsonb, :owner,
                :state, :job, case when :state = 'queued' then clock_timestamp() end, :trace,
                case when :temporary then timestamptz 'infinity' end)
        returning *),
      limits as (
        insert into tree (root_id, max_depth, max_delegations, max_delegations_total, max_background_tasks, max_tokens, max_cost)
        select id, :maxDepth, :maxDelegations, :maxDelegationsTotal, :maxBackgroundTasks, :maxTokens, :maxCost from root)
      select * from root
      """;

  private static final String INSERT_WITH_MESSAGE =
      """
      with child as (
        insert into session (id, tenant, parent_id, root_id, depth, kind, agent, model, workspace, max_turns, grants, grants_from,
                             generation, title, origin, metadata, owner, state, job_id, queued_at, trace_parent)
        values (:id, :tenant, :parent, :root, :depth, :kind, :agent, :model, :workspace, :maxTurns, :grants::jsonb, :grantsFrom::jsonb,
                :generation, :title, :origin::jsonb, :metadata::jsonb, :owner,
                :state, :job, case when :state = 'queued' then clock_timestamp() end, :trace)
        returning id)
      insert into inbox (id, session_id, kind, body, trace_parent)
      select :message, id, :entry, :body::jsonb, :trace from child
      """;

  private final Jdbi jdbi;
  private final Json json;
  private final SessionMapper mapper;
  private final LimitConfig config;
  private final Trees trees;

  SessionInserts(Jdbi jdbi, Json json, SessionMapper mapper, LimitConfig config, Trees trees) {
    this.jdbi = jdbi;
    this.json = json;
    this.mapper = mapper;
    this.config = config;
    this.trees = trees;
  }

  /** Creates a root at rest, and its tree. */
  @Transactional(TxType.MANDATORY)
  Session root(NewSession root) {
    var limits = root.limits().or(config).within(config.cap());
    var cost = limits.maxCost();
    var insert =
        statement(INSERT_ROOT, root, SessionState.IDLE)
            .bind("job", (UUID) null)
            .bind("temporary", root.details().temporary())
            .bind("trace", (String) null)
            .bind("maxDepth", limits.maxDepth())
            .bind("maxDelegations", limits.maxDelegations())
            .bind("maxDelegationsTotal", limits.maxDelegationsTotal())
            .bind("maxBackgroundTasks", limits.maxBackgroundTasks())
            .bind("maxTokens", limits.maxTokens())
            .bind("maxCost", cost == null ? null : cost.micros());
    return Pipeline.execute(jdbi, insert, mapper).one();
  }

  /**
   * Adds to a pipeline what creates a queued child with the message that it begins with.
   *
   * @param job the id of its job, which the caller enqueues
   */
  @Transactional(TxType.MANDATORY)
  void queued(Pipeline pipeline, NewSession child, InboxEntry.UserMessage message, UUID job) {
    pipeline.update(
        statement(INSERT_WITH_MESSAGE, child, SessionState.QUEUED)
            .bind("job", job)
            .bind("trace", TraceContext.current())
            .bind("message", MessageId.next())
            .bind("entry", message.kind())
            .bind("body", json.write(message)));
  }

  private Statement statement(String insert, NewSession session, SessionState state) {
    var spec = session.spec();
    var details = session.details();
    trees.keep(session.id(), session.root());
    return Statement.of(insert)
        .bind("id", session.id())
        .bind("tenant", session.tenant())
        .bind("parent", session.parent())
        .bind("root", session.root())
        .bind("depth", session.depth())
        .bind("kind", spec.kind())
        .bind("agent", spec.agent())
        .bind("model", spec.model())
        .bind("workspace", spec.workspace().toString())
        .bind("maxTurns", spec.maxTurns())
        .bind("grants", json.write(spec.permissions().rules()))
        .bind("grantsFrom", json.write(spec.permissions().origins()))
        .bind("generation", session.generation())
        .bind("title", details.title())
        .bind("origin", json.writeNullable(details.origin()))
        .bind("metadata", json.writeNullable(details.metadata()))
        .bind("owner", session.owner())
        .bind("state", state);
  }
}
