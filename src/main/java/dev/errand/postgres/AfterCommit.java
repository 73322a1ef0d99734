package dev.errand.postgres;

import jakarta.inject.Singleton;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

/**
 * Runs actions once the current transaction has committed, such as a hint or a count that is only
 * true then.
 */
@Singleton
public class AfterCommit {

  private final TransactionSynchronizationRegistry transactions;

  AfterCommit(TransactionSynchronizationRegistry transactions) {
    this.transactions = transactions;
  }

  /**
   * Runs {@code action} after the commit, or at once when there is no transaction. A rollback drops
   * the action.
   */
  public void run(Runnable action) {
    if (transactions.getTransactionStatus() == Status.STATUS_NO_TRANSACTION) {
      action.run();
    } else {
      transactions.registerInterposedSynchronization(new OnCommit(action));
    }
  }

  /** Runs an action after the commit, at most once for each transaction and key. */
  public void once(Object key, Runnable action) {
    if (transactions.getTransactionStatus() == Status.STATUS_NO_TRANSACTION) {
      action.run();
    } else if (transactions.getResource(key) == null) {
      transactions.putResource(key, key);
      run(action);
    }
  }

  /** Runs {@code action} if the current transaction is rolled back. */
  public void otherwise(Runnable action) {
    transactions.registerInterposedSynchronization(new OnRollback(action));
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

  private record OnRollback(Runnable action) implements Synchronization {

    @Override
    public void beforeCompletion() {}

    @Override
    public void afterCompletion(int status) {
      if (status != Status.STATUS_COMMITTED) {
        action.run();
      }
    }
  }
}
