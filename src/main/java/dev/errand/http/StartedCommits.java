package dev.errand.http;

import io.quarkus.arc.Arc;
import io.quarkus.arc.ClientProxy;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionScoped;
import jakarta.transaction.TransactionSynchronizationRegistry;

/**
 * Knows whether the current request has started a commit. From then on a fault of the database does
 * not mean that nothing was accepted: the answer to the commit may be lost, or a later statement
 * failed.
 */
@Singleton
class StartedCommits {

  private final Mark mark;
  private final TransactionSynchronizationRegistry transactions;

  StartedCommits(Mark mark, TransactionSynchronizationRegistry transactions) {
    this.mark = mark;
    this.transactions = transactions;
  }

  boolean any() {
    return isRequest() && mark.isSet();
  }

  void begun(@Observes @Initialized(TransactionScoped.class) Object transaction) {
    if (isRequest()) {
      transactions.registerInterposedSynchronization(new MarkOnCommit(ClientProxy.unwrap(mark)));
    }
  }

  private static boolean isRequest() {
    return Arc.container().requestContext().isActive();
  }

  /** A mark that the first commit of a request sets. */
  @RequestScoped
  static class Mark {

    private volatile boolean set;

    boolean isSet() {
      return set;
    }

    void set() {
      set = true;
    }
  }

  /**
   * A transaction that is rolled back has no {@code beforeCompletion}. The mark itself and not its
   * proxy, because the request may be over when the transaction ends.
   */
  private record MarkOnCommit(Mark mark) implements Synchronization {

    @Override
    public void beforeCompletion() {
      mark.set();
    }

    @Override
    public void afterCompletion(int status) {}
  }
}
