package dev.errand.session;

import dev.errand.conversation.SessionId;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import org.jdbi.v3.core.Jdbi;

/**
 * Begins the turns in which agents that ended without words are asked for their closing answer. No
 * message precedes such a turn, so that the turn boundary does not report its model call.
 */
@Singleton
public class ClosingTurns {

  private final Jdbi jdbi;
  private final Fence fence;
  private final ModelCallEvents modelCalls;

  ClosingTurns(Jdbi jdbi, Fence fence, ModelCallEvents modelCalls) {
    this.jdbi = jdbi;
    this.fence = fence;
    this.modelCalls = modelCalls;
  }

  /**
   * Reports the model call of the turn as started.
   *
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional
  public ModelCall begin(Lease lease, String model) {
    fence.share(lease);
    var call = ModelCall.first(nextSeq(lease.session()), model);
    modelCalls.started(lease.session(), call);
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
}
