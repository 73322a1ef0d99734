package dev.errand.run;

import dev.errand.conversation.SessionId;
import dev.errand.tool.Tool;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/**
 * Platform threads for tools that compute, so that they do not starve the rest of the service.
 * Searches have their own, so that reading and writing a file never waits for a search. One session
 * gets at most half of the threads for files and searches once at a time; its other calls wait.
 */
@ApplicationScoped
class ComputeThreads {

  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
  private static final int SEARCHES = Math.max(2, PROCESSORS / 2);
  private static final int FILES = Math.max(4, 2 * PROCESSORS);

  private final Pool searches = new Pool("search-", SEARCHES, 1);
  private final Pool files = new Pool("files-", FILES, FILES / 2);

  /**
   * Runs the work of a session's call on the threads for this load and waits for it; an interrupt
   * of the waiting thread interrupts the work.
   */
  <T> T run(Tool.Load load, SessionId session, Callable<T> work) throws Exception {
    return switch (load) {
      case WAITS -> work.call();
      case FILES -> files.run(session, work);
      case SEARCH -> searches.run(session, work);
    };
  }

  /** Threads, of which one session may use only some. */
  private static final class Pool {

    private final ExecutorService threads;
    private final int perSession;
    private final Map<SessionId, Share> shares = new ConcurrentHashMap<>();

    Pool(String name, int threads, int perSession) {
      this.threads =
          Executors.newFixedThreadPool(
              threads, Thread.ofPlatform().daemon().name(name, 1).factory());
      this.perSession = perSession;
    }

    /**
     * What a session may use.
     *
     * @param calls of the session that run or wait
     */
    private record Share(Semaphore free, int calls) {

      Share plus(int more) {
        return new Share(free, calls + more);
      }
    }

    <T> T run(SessionId session, Callable<T> work) throws Exception {
      var share =
          shares.merge(
              session, new Share(new Semaphore(perSession, true), 1), (known, _) -> known.plus(1));
      try {
        share.free().acquire();
        try {
          return await(work);
        } finally {
          share.free().release();
        }
      } finally {
        shares.computeIfPresent(session, (_, known) -> known.calls() == 1 ? null : known.plus(-1));
      }
    }

    private <T> T await(Callable<T> work) throws Exception {
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
}
