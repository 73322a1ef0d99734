package dev.errand.postgres;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

/**
 * Does something once the current transaction has committed: what is only true then, such as a hint
 * or a count.
 */
@ApplicationScoped
public class AfterCommit {

  private final TransactionSynchronizationRegistry transactions;

  AfterCommit(TransactionSynchronizationRegistry transactions) {
    this.transactions = transactions;
  }

  /**
   * Runs {@code action} after the commit; at once when there is no transaction; never after a
   * rollback.
   */
  public void run(Runnable action) {
    if (transactions.getTransactionStatus() == Status.STATUS_NO_TRANSACTION) {
      action.run();
    } else {
      transactions.registerInterposedSynchronization(new OnCommit(action));
    }
  }

  /** Like {@link #run}, but once per transaction and key, however often it is asked for. */
  public void once(Object key, Runnable action) {
    if (transactions.getTransactionStatus() == Status.STATUS_NO_TRANSACTION) {
      action.run();
    } else if (transactions.getResource(key) == null) {
      transactions.putResource(key, key);
      run(action);
    }
  }

  private record OnCommit(Runnable action) implements Synchronization {

    @Override
    public void beforeCompletion() {}

    @Override
    public void afterCompletion(int status) {
      if (status == Status.STATUS_COMMITTED) {
        action.run();
      }
    }
  }
}
