package dev.errand.tool.search;

import dev.errand.tool.ToolFailure;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;

/** A thread pool that all searches of the service share. It has one thread per processor. */
final class SearchThreads {

  private static final ForkJoinPool POOL =
      new ForkJoinPool(Runtime.getRuntime().availableProcessors());

  private SearchThreads() {}

  /**
   * Runs a search in the pool and returns when all of its tasks have ended.
   *
   * @throws ToolFailure the calling thread was interrupted; the search has been cancelled
   */
  static void run(CancelFlag cancel, ForkJoinTask<?> search) {
    cancel.throwIfCancelled();
    try {
      POOL.submit(search).get();
    } catch (InterruptedException interrupted) {
      cancel.cancel();
      search.quietlyJoin();
      Thread.currentThread().interrupt();
      throw ToolFailure.interrupted();
    } catch (ExecutionException failed) {
      throw failed.getCause() instanceof RuntimeException known
          ? known
          : new IllegalStateException(failed.getCause());
    }
  }
}
