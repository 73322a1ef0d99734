package dev.errand.session;

import dev.errand.conversation.SessionId;
import dev.errand.session.ModelPatience.ModelAway;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/**
 * Reports the model calls of runs that neither begin at a turn boundary nor end with an answer, and
 * keeps why the last one of a session failed.
 */
@Singleton
public class ModelCalls {

  private static final String KEEP =
      """
      update session set error_code = :code, error_message = :message, error_at = clock_timestamp()
      where id = :id and epoch = :epoch and state = 'running'
      """;

  private static final String LAST =
      """
      select error_code as code, error_message as message from session
      where id = :id and error_at >= :since and starts_with(error_code, 'model_')
      """;

  private final Jdbi jdbi;
  private final Fence fence;
  private final ModelCallEvents events;

  ModelCalls(Jdbi jdbi, Fence fence, ModelCallEvents events) {
    this.jdbi = jdbi;
    this.fence = fence;
    this.events = events;
  }

  /**
   * Begins the turn in which an agent that ended without words is asked for its closing answer. No
   * message precedes it, so that the turn boundary does not report its model call.
   *
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional
  public ModelCall beginClosing(Lease lease, String model) {
    fence.share(lease);
    var call = ModelCall.first(nextSeq(lease.session()), model);
    events.started(lease.session(), call);
    return call;
  }

  private long nextSeq(SessionId session) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select next_seq from session where id = :id")
            .bind("id", session)
            .mapTo(Long.class)
            .one());
  }

  /**
   * Records a model call that failed and is not repeated as it is.
   *
   * @param error a word for programs
   */
  @Transactional
  public void failed(Lease lease, ModelCall call, String error) {
    events.failed(lease.session(), call, error);
  }

  /**
   * Records a model call that was refused; the run makes another call.
   *
   * @param error a word for programs
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional
  public void refused(Lease lease, ModelCall call, String error) {
    fence.share(lease);
    events.failed(lease.session(), call, error);
  }

  /**
   * Records a model call that failed and is repeated.
   *
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional
  public void repeated(Lease lease, ModelCall failed, ModelAway fault, ModelCall next) {
    keep(lease, fault);
    events.failed(lease.session(), failed, fault.code());
    events.started(lease.session(), next);
  }

  /**
   * Keeps why a session does not call its model.
   *
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  void keep(Lease lease, ModelAway fault) {
    var kept =
        jdbi.withHandle(handle ->
            handle
                .createUpdate(KEEP)
                .bind("code", fault.code())
                .bind("message", fault.message())
                .bind("id", lease.session())
                .bind("epoch", lease.epoch())
                .execute());
    if (kept == 0) {
      throw new LeaseLost(lease);
    }
  }

  /**
   * Records that another model is called in place of one that failed.
   *
   * @param error a word for programs
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional
  public void replaced(Lease lease, ModelCall failed, String error, ModelCall next) {
    fence.share(lease);
    events.failed(lease.session(), failed, error);
    events.started(lease.session(), next);
  }

  /**
   * Returns why the last model call of a session failed; empty if it answered, or failed before a
   * time.
   */
  @Transactional(TxType.MANDATORY)
  public Optional<ModelAway> last(SessionId session, Instant since) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(LAST)
            .bind("id", session)
            .bind("since", since)
            .mapTo(ModelAway.class)
            .findOne());
  }
}
