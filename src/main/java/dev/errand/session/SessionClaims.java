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
  public record ClaimedSession(Lease lease, Session session, @Nullable BoundaryRead look) {

    /** Returns whether no worker has claimed the session before. */
    public boolean isFirst() {
      return lease.epoch() == 1;
    }
  }

  /** The transcript of a session, and what a turn boundary finds. */
  public record BoundaryRead(
      Transcript.CurrentTranscript transcript, BoundaryStore.BoundaryState found) {}

  /**
   * Makes {@code node} the session's one worker, and reads what the first turn boundary needs, in
   * one round trip.
   *
   * @return empty when there is nothing to do or another worker has the session
   */
  @Transactional(TxType.MANDATORY)
  public Optional<ClaimedSession> claim(SessionId id, UUID node) {
    var pipeline = new Pipeline();
    var claimed = claim(pipeline, id, node);
    var current = transcript.current(pipeline, id);
    var found = boundary.look(pipeline, id, true);
    pipeline.execute(jdbi);
    return reported(claimed)
        .map(claim ->
            new ClaimedSession(
                claim.lease(),
                claim.session(),
                new BoundaryRead(Transcript.CurrentTranscript.of(current.list()), found.one())));
  }

  /** Claims a session as {@link #claim} does, but reads nothing. */
  @Transactional(TxType.MANDATORY)
  public Optional<ClaimedSession> claimOnly(SessionId id, UUID node) {
    var pipeline = new Pipeline();
    var claimed = claim(pipeline, id, node);
    pipeline.execute(jdbi);
    return reported(claimed);
  }

  private Pipeline.Rows<ClaimedSession> claim(Pipeline pipeline, SessionId id, UUID node) {
    var claimed =
        pipeline.query(
            Statement.of(CLAIM).bind("id", id).bind("node", node),
            (row, context) ->
                new ClaimedSession(
                    new Lease(id, row.getLong("epoch")), mapper.map(row, context), null));
    jobs.removeCurrent(pipeline);
    return claimed;
  }

  private Optional<ClaimedSession> reported(Pipeline.Rows<ClaimedSession> claimed) {
    var claim = claimed.find();
    claim.ifPresent(of -> events.state(of.session().id(), SessionState.RUNNING, null));
    return claim;
  }
}
