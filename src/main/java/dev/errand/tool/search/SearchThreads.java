package dev.errand.tool.search;

import dev.errand.tool.ToolFailure;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;

/**
 * The threads of a search, one per processor. Each search has its own, so that a long one does not
 * delay the others.
 */
final class SearchThreads {

  private SearchThreads() {}

  /**
   * Runs a search and returns when all of its tasks have ended.
   *
   * @throws ToolFailure the calling thread was interrupted; the search has been cancelled
   */
  static void run(CancelFlag cancel, ForkJoinTask<?> search) {
    cancel.throwIfCancelled();
    try (var pool = new ForkJoinPool(Runtime.getRuntime().availableProcessors())) {
      await(cancel, pool.submit(search));
    } catch (ExecutionException failed) {
      throw failed.getCause() instanceof RuntimeException known
          ? known
          : new IllegalStateException(failed.getCause());
    }
  }

  /** The search is cancelled before its threads are waited for. */
  private static void await(CancelFlag cancel, ForkJoinTask<?> search) throws ExecutionException {
    try {
      search.get();
    } catch (InterruptedException interrupted) {
      cancel.cancel();
      search.quietlyJoin();
      Thread.currentThread().interrupt();
      throw ToolFailure.interrupted();
    }
  }
}
