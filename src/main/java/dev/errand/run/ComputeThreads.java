package dev.errand.run;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * As many platform threads as there are processors, for tools that compute: the others of the
 * service get their turn.
 */
@ApplicationScoped
class ComputeThreads {

  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          Runtime.getRuntime().availableProcessors(),
          Thread.ofPlatform().daemon().name("tools-", 1).factory());

  /**
   * Does the work there and waits for it; an interrupt of the waiting thread interrupts the work.
   */
  <T> T run(Callable<T> work) throws Exception {
    var running = threads.submit(work);
    try {
      return running.get();
    } catch (ExecutionException fault) {
      throw fault.getCause() instanceof Exception known ? known : fault;
    } finally {
      running.cancel(true);
    }
  }
}
