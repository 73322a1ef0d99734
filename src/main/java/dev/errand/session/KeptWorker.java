package dev.errand.session;

import dev.errand.conversation.TaskId;
import java.util.UUID;

/**
 * A worker of this node that waits for the commit of the transaction that creates a child. The
 * child needs no job: its row says from the beginning which node drives it, and a node that dies
 * loses it like any other session that it drives.
 */
public interface KeptWorker {

  /** The node of the worker. */
  UUID node();

  /**
   * The first run of the child begins with the commit of the current transaction, after its first
   * turn boundary.
   */
  void begin(FirstTurn turn);

  /** The worker is not needed. */
  void free();

  /**
   * What the first turn of a child begins with.
   *
   * @param session as created, with its first epoch
   * @param message that its transcript begins with
   * @param call of the model, reported as started
   * @param task that it works on
   * @param tree the limits of its tree and their use
   */
  record FirstTurn(
      Session session, StoredMessage message, ModelCall call, TaskId task, TreeStore.Tree tree) {}
}
