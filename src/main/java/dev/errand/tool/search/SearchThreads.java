package dev.errand.tool.search;

import dev.errand.tool.file.CancelFlag;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;

/**
 * As many threads as there are processors, shared by all searches of the service: one search alone
 * gets them all, several share them.
 */
final class SearchThreads {

  private static final ForkJoinPool POOL =
      new ForkJoinPool(Runtime.getRuntime().availableProcessors());

  private SearchThreads() {}

  /**
   * Does the search there and waits until nothing of it goes on. An interrupt of the waiting thread
   * asks it to halt and fails.
   */
  static void run(CancelFlag halt, ForkJoinTask<?> search) {
    halt.check();
    try {
      POOL.submit(search).get();
    } catch (InterruptedException interrupted) {
      halt.ask();
      search.quietlyJoin();
      Thread.currentThread().interrupt();
      throw CancelFlag.interrupted();
    } catch (ExecutionException failed) {
      throw failed.getCause() instanceof RuntimeException known
          ? known
          : new IllegalStateException(failed.getCause());
    }
  }
}
