package dev.errand.run;

import dev.errand.session.LeaseLost;
import dev.errand.trace.TraceContext;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;

/** Does something with several calls at the same time. */
final class Concurrently {

  private Concurrently() {}

  /**
   * Returns the results in the order of the items.
   *
   * @throws LeaseLost the run lost its session in the meantime
   */
  static <T, R> List<R> each(List<T> items, Function<T, R> work) {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var running =
          items.stream()
              .map(item -> threads.submit(TraceContext.carried(() -> work.apply(item))))
              .toList();
      return running.stream().map(Concurrently::await).toList();
    }
  }

  private static <R> R await(Future<R> item) {
    try {
      return item.get();
    } catch (ExecutionException fault) {
      if (fault.getCause() instanceof LeaseLost lost) {
        throw lost;
      }
      throw new CompletionException(fault.getCause());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new CompletionException(interrupted);
    }
  }
}
