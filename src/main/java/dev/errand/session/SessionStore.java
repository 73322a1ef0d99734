package dev.errand.session;

import dev.errand.conversation.SessionId;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;

/** Creates, finds and deletes sessions. */
@Singleton
public class SessionStore {

  private final Jdbi jdbi;
  private final SessionMapper mapper;
  private final SessionInserts inserts;
  private final Fence fence;

  SessionStore(Jdbi jdbi, SessionMapper mapper, SessionInserts inserts, Fence fence) {
    this.jdbi = jdbi;
    this.mapper = mapper;
    this.inserts = inserts;
    this.fence = fence;
  }

  /** Creates a root at rest, and its tree. */
  @Transactional
  public Session create(NewSession root) {
    return inserts.root(root);
  }

  /** Sets when the tree of a temporary root is deleted. */
  @Transactional
  public void expire(SessionId root, Instant at) {
    jdbi.useHandle(handle ->
        handle
            .createUpdate("update session set expires_at = :at where id = :id")
            .bind("at", at)
            .bind("id", root)
            .execute());
  }

  public Optional<Session> find(SessionId id) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select * from session where id = :id")
            .bind("id", id)
            .map(mapper)
            .findOne());
  }

  /** Keeps a session from being deleted until the transaction ends; other changes are possible. */
  @Transactional(Transactional.TxType.MANDATORY)
  public Optional<Session> keep(SessionId id) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select * from session where id = :id for key share")
            .bind("id", id)
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
                .bind("id", lease.session())
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
            id));
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
            .bindArray("ids", SessionId.class, ids)
            .mapTo(SessionId.class)
            .collect(Collectors.toSet()));
  }

  /** Deletes a session without children and tasks, with its transcript. Idempotent. */
  @Transactional
  public void delete(SessionId id) {
    jdbi.useHandle(handle -> handle.execute("delete from session where id = ?", id));
  }

  /** Returns the tree below and including {@code id}, ancestors before descendants. */
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
            .bind("id", id)
            .mapTo(SessionId.class)
            .list());
  }
}
