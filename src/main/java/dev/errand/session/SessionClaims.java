package dev.errand.session;

import dev.errand.conversation.SessionId;
import dev.errand.postgres.Pipeline;
import dev.errand.postgres.Statement;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Claims of queued sessions. The job that brought the session to its worker is removed in the same
 * transaction, because from then on the session's row says who drives it (architecture, rule 6).
 */
@Singleton
public class SessionClaims {

  private static final String CLAIM =
      """
      update session set state = 'running', epoch = epoch + 1, node_id = :node, updated_at = now()
      where id = :id and state = 'queued'
      returning *
      """;

  private final Jdbi jdbi;
  private final SessionMapper mapper;
  private final RunQueue jobs;
  private final Transcript transcript;
  private final BoundaryStore boundary;
  private final SessionEvents events;

  SessionClaims(
      Jdbi jdbi,
      SessionMapper mapper,
      RunQueue jobs,
      Transcript transcript,
      BoundaryStore boundary,
      SessionEvents events) {
    this.jdbi = jdbi;
    this.mapper = mapper;
    this.jobs = jobs;
    this.transcript = transcript;
    this.boundary = boundary;
    this.events = events;
  }

  /**
   * A claimed session.
   *
   * @param look what its first turn boundary finds; null when it was not read
   */
  public record Claim(Lease lease, Session session, @Nullable Look look) {

    /** Whether no worker has claimed the session before. */
    public boolean isFirst() {
      return lease.epoch() == 1;
    }
  }

  /** The transcript of a session, and what a turn boundary finds. */
  public record Look(Transcript.Current transcript, BoundaryStore.Found found) {}

  /**
   * Makes {@code node} the session's one worker, and reads what the first turn boundary needs, in
   * one round trip.
   *
   * @return empty when there is nothing to do or another worker has the session
   */
  @Transactional(TxType.MANDATORY)
  public Optional<Claim> claim(SessionId id, UUID node) {
    var pipeline = new Pipeline();
    var claimed = claim(pipeline, id, node);
    var current = transcript.current(pipeline, id);
    var found = boundary.look(pipeline, id, true);
    pipeline.execute(jdbi);
    return reported(claimed)
        .map(claim ->
            new Claim(
                claim.lease(),
                claim.session(),
                new Look(Transcript.Current.of(current.list()), found.one())));
  }

  /** Like {@link #claim}, but reads nothing. */
  @Transactional(TxType.MANDATORY)
  public Optional<Claim> claimAlone(SessionId id, UUID node) {
    var pipeline = new Pipeline();
    var claimed = claim(pipeline, id, node);
    pipeline.execute(jdbi);
    return reported(claimed);
  }

  private Pipeline.Rows<Claim> claim(Pipeline pipeline, SessionId id, UUID node) {
    var claimed =
        pipeline.query(
            Statement.of(CLAIM).bind("id", id.value()).bind("node", node),
            (row, context) ->
                new Claim(new Lease(id, row.getLong("epoch")), mapper.map(row, context), null));
    jobs.removeCurrent(pipeline);
    return claimed;
  }

  private Optional<Claim> reported(Pipeline.Rows<Claim> claimed) {
    var claim = claimed.find();
    claim.ifPresent(of -> events.state(of.session().id(), SessionState.RUNNING, null));
    return claim;
  }
}
