package dev.errand.run;

import dev.errand.conversation.MessageId;
import dev.errand.session.CallResult;
import dev.errand.session.Lease;
import dev.errand.session.ModelCalls;
import dev.errand.session.StoredMessage;
import dev.errand.session.ToolCallState;
import dev.errand.session.ToolLedger;
import dev.errand.session.TurnStore;
import dev.errand.task.TaskProgress;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.util.Optional;

/**
 * Saves the progress of a run, together with what it means for the session's task and its user.
 * Locks are taken in the order session, task, tree.
 */
@Singleton
class TurnTransactions {

  private final TurnStore turns;
  private final ModelCalls modelCalls;
  private final ToolLedger ledger;
  private final TaskProgress progress;
  private final OutgoingMessages outgoing;

  TurnTransactions(
      TurnStore turns,
      ModelCalls modelCalls,
      ToolLedger ledger,
      TaskProgress progress,
      OutgoingMessages outgoing) {
    this.turns = turns;
    this.modelCalls = modelCalls;
    this.ledger = ledger;
    this.progress = progress;
    this.outgoing = outgoing;
  }

  /**
   * Saves what the model said, before any call that it asks for starts.
   *
   * @param id of the message; the same when the save is repeated
   * @param again whether an earlier save may have been committed
   * @throws dev.errand.session.LeaseLost the run no longer owns the session; nothing was saved
   */
  @Transactional
  StoredMessage save(Lease lease, MessageId id, TurnStore.ModelTurn turn, boolean again) {
    var earlier = again ? turns.saved(lease, id) : Optional.<StoredMessage>empty();
    return earlier.orElseGet(() -> save(lease, id, turn));
  }

  private StoredMessage save(Lease lease, MessageId id, TurnStore.ModelTurn turn) {
    var said = turns.save(lease, id, turn);
    var session = said.session();
    if (!session.isRoot()) {
      progress.record(session.id());
    }
    if (said.message().message().toolCalls().isEmpty()) {
      outgoing.answered(said);
    }
    return said.message();
  }

  /**
   * Reports that a model call of the run was refused; the run makes another one.
   *
   * @throws dev.errand.session.LeaseLost the run no longer owns the session; nothing was saved
   */
  @Transactional
  void refused(Run run, String error) {
    run.modelCall().ifPresent(call -> modelCalls.refused(run.lease(), call, error));
  }

  /**
   * Saves a summary.
   *
   * @throws dev.errand.session.LeaseLost the run no longer owns the session; nothing was saved
   */
  @Transactional
  void save(Lease lease, MessageId id, TurnStore.Summary summary, boolean again) {
    if (again && turns.saved(lease, id).isPresent()) {
      return;
    }
    turns.save(lease, id, summary);
  }

  /**
   * Saves how a call ended, with the result that the model gets; idempotent.
   *
   * @throws dev.errand.session.LeaseLost the run no longer owns the session; the result is not kept
   */
  @Transactional
  void finish(ToolLedger.LeasedCall entry, ToolCallState state, CallResult result) {
    ledger.finish(entry, state, result);
    progress.record(entry.lease().session());
  }
}
