package dev.errand.run;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * One platform thread per processor for tools that compute, so that they do not starve the rest of
 * the service.
 */
@ApplicationScoped
class ComputeThreads {

  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          Runtime.getRuntime().availableProcessors(),
          Thread.ofPlatform().daemon().name("tools-", 1).factory());

  /**
   * Runs the work on one of these threads and waits for it; an interrupt of the waiting thread
   * interrupts the work.
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
