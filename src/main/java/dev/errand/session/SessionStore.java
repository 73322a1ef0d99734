package dev.errand.session;

import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.event.Trees;
import dev.errand.postgres.Json;
import dev.errand.trace.TraceContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jspecify.annotations.Nullable;

/**
 * Sessions in the database: created, found, deleted. What a run changes is in {@link
 * SessionTransitions}.
 */
@ApplicationScoped
public class SessionStore {

  private static final String INSERT =
      """
      insert into session (id, tenant, parent_id, root_id, depth, kind, agent, model, workspace, max_turns, grants, grants_from,
                           generation, title, origin, metadata, owner, state, job_id, queued_at, trace_parent)
      values (:id, :tenant, :parent, :root, :depth, :kind, :agent, :model, :workspace, :maxTurns, :grants::jsonb, :grantsFrom::jsonb,
              :generation, :title, :origin::jsonb, :metadata::jsonb, :owner,
              :state, :job, case when :state = 'queued' then clock_timestamp() end, :trace)
      """;

  private static final String INSERT_ROOT =
      "with root as ("
          + INSERT
          + """
            returning *),
          limits as (
            insert into tree (root_id, max_depth, max_delegations, max_delegations_total, max_background_tasks, max_tokens, max_cost)
            select id, :maxDepth, :maxDelegations, :maxDelegationsTotal, :maxBackgroundTasks, :maxTokens, :maxCost from root)
          select * from root
          """;

  private static final String INSERT_WITH_MESSAGE =
      "with child as ("
          + INSERT
          + """
            returning id)
          insert into inbox (id, session_id, kind, body, trace_parent)
          select :message, id, :entry, :body::jsonb, :trace from child
          """;

  private final Jdbi jdbi;
  private final Json json;
  private final SessionMapper mapper;
  private final LimitConfig config;
  private final Trees trees;
  private final Fence fence;

  SessionStore(
      Jdbi jdbi, Json json, SessionMapper mapper, LimitConfig config, Trees trees, Fence fence) {
    this.jdbi = jdbi;
    this.json = json;
    this.mapper = mapper;
    this.config = config;
    this.trees = trees;
    this.fence = fence;
  }

  /** Creates a root at rest, and its tree. */
  @Transactional
  public Session create(NewSession root) {
    var limits = root.limits().or(config).within(config.cap());
    return jdbi.withHandle(handle ->
        bound(handle.createQuery(INSERT_ROOT), root, SessionState.IDLE)
            .bind("job", (UUID) null)
            .bind("trace", (String) null)
            .bind("maxDepth", limits.maxDepth())
            .bind("maxDelegations", limits.maxDelegations())
            .bind("maxDelegationsTotal", limits.maxDelegationsTotal())
            .bind("maxBackgroundTasks", limits.maxBackgroundTasks())
            .bind("maxTokens", limits.maxTokens())
            .bind("maxCost", limits.maxCost() == null ? null : limits.maxCost().micros())
            .map(mapper)
            .one());
  }

  /**
   * Creates a queued child with the message that it begins with.
   *
   * @param job the id of its job, which the caller enqueues
   */
  @Transactional(Transactional.TxType.MANDATORY)
  void create(NewSession child, InboxEntry.UserMessage message, UUID job) {
    jdbi.useHandle(handle ->
        bound(handle.createUpdate(INSERT_WITH_MESSAGE), child, SessionState.QUEUED)
            .bind("job", job)
            .bind("trace", TraceContext.current())
            .bind("message", MessageId.next().value())
            .bind("entry", message.kind())
            .bind("body", json.write(message))
            .execute());
  }

  private <S extends SqlStatement<S>> S bound(S insert, NewSession session, SessionState state) {
    var spec = session.spec();
    var details = session.details();
    trees.keep(session.id(), session.root());
    return insert
        .bind("id", session.id().value())
        .bind("tenant", session.tenant())
        .bind("parent", uuid(session.parent()))
        .bind("root", session.root().value())
        .bind("depth", session.depth())
        .bind("kind", spec.kind().word())
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
        .bind("state", state.word());
  }

  public Optional<Session> find(SessionId id) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select * from session where id = :id")
            .bind("id", id.value())
            .map(mapper)
            .findOne());
  }

  /** Keeps a session from being deleted until the transaction ends; other changes are possible. */
  @Transactional(Transactional.TxType.MANDATORY)
  public Optional<Session> keep(SessionId id) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select * from session where id = :id for key share")
            .bind("id", id.value())
            .map(mapper)
            .findOne());
  }

  /**
   * Keeps a run's session, or a client's tool call, from being taken away until the transaction
   * ends; other transactions of the same run may do so, too.
   *
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional(Transactional.TxType.MANDATORY)
  public Session keep(Lease lease) {
    return jdbi.withHandle(handle ->
            handle
                .createQuery(
                    """
                    select * from session where id = :id and epoch = :epoch and state = 'running' for share
                    """)
                .bind("id", lease.session().value())
                .bind("epoch", lease.epoch())
                .map(mapper)
                .findOne())
        .orElseGet(() -> {
          fence.share(lease);
          return keep(lease.session()).orElseThrow(() -> new LeaseLost(lease));
        });
  }

  /** Sets the model and the turn limit of a child's next runs, and the generation of its task. */
  @Transactional(Transactional.TxType.MANDATORY)
  public void adjust(SessionId id, String model, int maxTurns, int generation) {
    jdbi.useHandle(handle ->
        handle.execute(
            "update session set model = ?, max_turns = ?, generation = ? where id = ?",
            model,
            maxTurns,
            generation,
            id.value()));
  }

  /**
   * Returns the sessions that are idle with nothing to continue with. The unread entries of an idle
   * session are notices that do not wake it.
   */
  public Set<SessionId> resting(Set<SessionId> ids) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select id from session
                where id = any(:ids) and state = 'idle'
                  and not exists (select 1 from inbox where session_id = session.id and kind <> 'notice' and consumed_at is null)
                """)
            .bindArray("ids", UUID.class, ids.stream().map(SessionId::value).toList())
            .mapTo(UUID.class)
            .map(SessionId::new)
            .collect(Collectors.toSet()));
  }

  /** Deletes a session without children and tasks, with its transcript. Idempotent. */
  @Transactional
  public void delete(SessionId id) {
    jdbi.useHandle(handle -> handle.execute("delete from session where id = ?", id.value()));
  }

  /** The tree below and including {@code id}, ancestors before descendants. */
  public List<SessionId> subtree(SessionId id) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                with recursive tree as (
                  select id, depth from session where id = :id
                  union all
                  select child.id, child.depth from session child join tree on child.parent_id = tree.id)
                select id from tree order by depth, id
                """)
            .bind("id", id.value())
            .mapTo(UUID.class)
            .map(SessionId::new)
            .list());
  }

  private static @Nullable UUID uuid(@Nullable SessionId id) {
    return id == null ? null : id.value();
  }
}
